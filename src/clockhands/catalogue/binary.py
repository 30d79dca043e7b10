"""Binary positions: the digits of an odometer in base 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.digits import Digits
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Binary(Digits):
    """Dimension j holds digit j of the position in base 2, lowest first, for positions below ``2^d_model``.

    >>> import numpy as np
    >>> Binary(d_model=3).table(np.asarray([6])).tolist()
    [[0.0, 1.0, 1.0]]
    """

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

    def code(self, positions: AnyArray) -> AnyArray:
        return formulas.binary(positions, self.d_model)
