"""Binary positions: the digits of an odometer in base 2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import position_outside, require_count, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class Binary(Description):
    """Dimension j holds digit j of the position in base 2, lowest first, for positions below ``2^d_model``.

    >>> import numpy as np
    >>> Binary(d_model=3).table(np.asarray([6])).tolist()
    [[0.0, 1.0, 1.0]]
    """

    d_model: int = 32

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str] = "clockhands.schemes.codes:CodeTable"
    card: ClassVar[Card] = Card(
        id="binary",
        name="Binary",
        title=Text("Binary digits", "二进制编码"),
        idea=Text(
            "Write the position in base 2, one digit a dimension: the lowest flips at every step, the next "
            "at every second one. The sinusoid is this odometer made smooth. Here neighbours can be far "
            "apart: from 7 to 8 four digits flip at once.",
            "把位置写成二进制，一位占一维：最低位每一步都翻转，下一位每两步翻转一次。"
            "正弦编码就是把这个里程表变得平滑。这里相邻的位置可能差很多：从 7 到 8，四位同时翻转。",
        ),
        formula=r"P_{p,j} = \lfloor p / 2^j \rfloor\ \mathrm{mod}\ 2",
        sources=(
            Source(
                authors="Kazemnejad",
                year=2019,
                title="Transformer Architecture: The Positional Encoding",
                where="https://kazemnejad.com/blog/transformer_architecture_positional_encoding/",
            ),
        ),
        used_by=(),
        traits=Traits(max_position=2**32),
        differs=Text(
            "A teaching baseline, for few dimensions: of 32 digits those above the tenth stay 0 within a "
            "thousand positions. Gray's code changes one digit at each step.",
            "教学用的起点，适合维数少的时候：在一千个位置以内，32 位里第十位以上都是 0。"
            "格雷码每一步只变一位。",
        ),
    )

    def check(self) -> None:
        require_count(self.d_model, "d_model")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=2**self.d_model if self.d_model < 62 else None)

    def code(self, positions: AnyArray) -> AnyArray:
        """The digits of whole positions, numpy or torch."""
        return formulas.binary(positions, self.d_model)

    def table(self, positions: NDArray[Any]) -> Array:
        places = whole_numbers(positions, Text("positions", "位置"))
        last = self.traits.max_position
        outside = places[(places < 0) | (places >= (2**62 if last is None else last))]
        if outside.size:
            raise position_outside(int(outside.flat[0]), 2**62 if last is None else last)
        require_memory(Text("a table", "这张表"), (*places.shape, self.d_model))
        return np.asarray(self.code(places), dtype=np.float64)
