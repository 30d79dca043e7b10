"""Gray code: binary digits of which one changes at each step."""

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
class Gray(Description):
    """Dimension j holds digit j of ``p XOR (p >> 1)``, lowest first, for positions below ``2^d_model``.

    >>> import numpy as np
    >>> Gray(d_model=3).table(np.asarray([6])).tolist()
    [[1.0, 0.0, 1.0]]
    """

    d_model: int = 32

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str] = "clockhands.schemes.codes:CodeTable"
    card: ClassVar[Card] = Card(
        id="gray",
        name="Gray",
        title=Text("Gray code", "格雷码"),
        idea=Text(
            "Binary digits in another order of counting, so that each step flips exactly one digit: "
            "neighbours are always equally far apart. For positions farther away it says no more than "
            "plain binary: 0 and 15 of 16 differ by a single digit.",
            "换一种数法的二进制：每走一步恰好翻转一位，所以相邻位置之间的距离处处相同。"
            "但对更远的位置，它并不比普通二进制说得更多：16 个位置里，0 和 15 只差一位。",
        ),
        formula=r"P_{p,j} = g_j\ \mathrm{mod}\ 2,\quad"
        r" g_j = \lfloor p/2^j \rfloor + \lfloor p/2^{j+1} \rfloor",
        sources=(
            Source(
                authors="Gray",
                year=1953,
                title="Pulse Code Communication",
                where="https://patents.google.com/patent/US2632058A/en",
            ),
        ),
        used_by=(),
        traits=Traits(max_position=2**32),
        differs=Text(
            "A teaching baseline: like the sinusoid it has a constant step, unlike the sinusoid no rotation "
            "takes it on.",
            "教学用的起点：与正弦编码一样，相邻距离是常数；不一样的是，没有一个旋转能让它前进一步。",
        ),
    )

    def check(self) -> None:
        require_count(self.d_model, "d_model")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=2**self.d_model if self.d_model < 62 else None)

    def code(self, positions: AnyArray) -> AnyArray:
        """The digits of whole positions, numpy or torch."""
        return formulas.gray(positions, self.d_model)

    def table(self, positions: NDArray[Any]) -> Array:
        places = whole_numbers(positions, Text("positions", "位置"))
        last = self.traits.max_position
        outside = places[(places < 0) | (places >= (2**62 if last is None else last))]
        if outside.size:
            raise position_outside(int(outside.flat[0]), 2**62 if last is None else last)
        require_memory(Text("a table", "这张表"), (*places.shape, self.d_model))
        return np.asarray(self.code(places), dtype=np.float64)
