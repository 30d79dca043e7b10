"""Gray code: binary digits of which one changes at each step."""

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
class Gray(Digits):
    """Dimension j holds digit j of ``p XOR (p >> 1)``, lowest first, for positions below ``2^d_model``.

    >>> import numpy as np
    >>> Gray(d_model=3).table(np.asarray([6])).tolist()
    [[1.0, 0.0, 1.0]]
    """

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

    def code(self, positions: AnyArray) -> AnyArray:
        return formulas.gray(positions, self.d_model)
