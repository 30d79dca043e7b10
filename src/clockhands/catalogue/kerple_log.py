"""KERPLE, logarithmic: a penalty that grows ever more slowly with distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.kerple import Kerple
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class KerpleLog(Kerple):
    """``-r1 * ln(1 + r2 * |distance|)`` on the logits, r1 and r2 learned in each head. Chi et al. 2022.

    Untrained, r1 is drawn from 0 … 2 and r2 from 0 … 1, as in their code. Give trained ones with
    ``KerpleLog.of([r1, r2])``.

    >>> import numpy as np
    >>> KerpleLog.of([[1.0], [1.0]]).bias(np.asarray([0, 1, 10])).round(4).tolist()
    [[0.0, -0.6931, -2.3979]]
    """

    drawn_up_to: ClassVar[tuple[float, float]] = (2.0, 1.0)
    card: ClassVar[Card] = Card(
        id="kerple-log",
        name="KERPLE log",
        title=Text("Logarithmic kernel bias", "对数核偏置"),
        idea=Text(
            "The penalty grows with the logarithm of the distance: the step from 1 to 2 costs as much as the "
            "one from 100 to 200. Two learned numbers a head say how strong it is and where it sets in. Far "
            "tokens fade but never vanish.",
            "惩罚随距离的对数增长：从 1 到 2 的代价与从 100 到 200 差不多。每个头学两个数：强度和起点。"
            "远处的词元会变淡，但不会消失。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} - r_1 \ln(1 + r_2\,|m-n|),\quad r_1, r_2 > 0",
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
            "ALiBi's line cuts a window out of the past; after the softmax this leaves a power of the "
            "distance, which has no window. Their code clips r1 and r2 at 0.01 after each step; here they "
            "are held where they are used.",
            "ALiBi 的直线相当于截出一个窗口；它经过 softmax 后是距离的幂，没有窗口。"
            "原代码每一步之后把 r1、r2 截到不小于 0.01；这里在用到它们时才限制。",
        ),
    )

    @staticmethod
    def curve(distance: Any, r1: Any, r2: Any) -> Any:
        return formulas.kerple_log_at(distance, r1, r2)
