"""KERPLE, power: a penalty that is a learned power of the distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.kerple import LEAST, Kerple
from clockhands.language import Text

MOST_POWER = 2.0
"""Above it the authors' code doesn't let r2 rise."""


@final
@dataclass(frozen=True, kw_only=True)
class KerplePower(Kerple):
    """``-r1 * |distance| ** r2`` on the logits, r1 and r2 learned in each head. Chi et al. 2022.

    Untrained, r1 is drawn from 0 … 1 and r2 from 0 … 2, as in their code. Give trained ones with
    ``KerplePower.of([r1, r2])``.

    >>> import numpy as np
    >>> KerplePower.of([[0.5], [2.0]]).bias(np.asarray([0, 1, 3])).tolist()
    [[0.0, -0.5, -4.5]]
    """

    bounds: ClassVar[tuple[tuple[float, float], ...]] = ((LEAST, np.inf), (LEAST, MOST_POWER))
    drawn_up_to: ClassVar[tuple[float, float]] = (1.0, MOST_POWER)
    card: ClassVar[Card] = Card(
        id="kerple-power",
        name="KERPLE power",
        title=Text("Power kernel bias", "幂核偏置"),
        idea=Text(
            "The penalty is a power of the distance, and each head learns which one: power 1 is ALiBi's "
            "straight line, power 2 a bell-shaped window, a small power fades slowly.",
            "惩罚是距离的幂，每个头自己学是几次幂：1 次幂就是 ALiBi 的直线，2 次幂是钟形窗口，"
            "次数小则衰减得慢。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} - r_1 |m-n|^{r_2},\quad r_1 > 0,\; 0 < r_2 \leq 2",
        sources=(
            Source(
                authors="Chi, Fan, Ramadge, Rudnicky",
                year=2022,
                title="KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
                where="arXiv 2205.09921",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "ALiBi with a learned slope and a learned bend. Powers above 2 would be no kernel, so 2 is the "
            "most. Their code clips r1 and r2 after each step; here they are held where they are used.",
            "相当于斜率和弯曲程度都可学习的 ALiBi。大于 2 的幂不再是核函数，所以最大为 2。"
            "原代码每一步之后截断 r1、r2；这里在用到它们时才限制。",
        ),
    )

    @staticmethod
    def curve(distance: Any, r1: Any, r2: Any) -> Any:
        return formulas.kerple_power_at(distance, r1, r2)
