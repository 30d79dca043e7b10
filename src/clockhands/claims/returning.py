"""Claims about hands that come back: repeats, and far positions that look near."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import distance_axis
from clockhands.analysis.horizon import nearest_return
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.uniqueness import uniqueness
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq
from clockhands.language import Text
from clockhands.plots import Picture

SAME = 1e-9
"""Codes nearer than this would be one code in float64."""


def _repeats() -> Verdict:
    hands = default_inv_freq(32)
    one, few, all_of_them = (
        nearest_return(hands[:count], reach) for count, reach in ((1, 1000), (3, 2000), (16, 100_000))
    )
    step = neighbour_distance(hands[:3])
    return judged(
        one.value < SAME,
        Text(
            "One hand at 1 rad / token never repeats, for pi is irrational; it comes to "
            f"{figure(one.value)} at "
            f"distance {one.distance}. More hands buy margin: the three fastest come to "
            f"{figure(few.value, 3)} at {figure(few.distance)} (a neighbour is {figure(step)} away), and "
            "all 16 are "
            f"nearest at distance {all_of_them.distance} within 100,000.",
            f"每个词元转 1 弧度的一根指针永不重复，因为 π 是无理数；它最近的一次是距离 {one.distance}，"
            f"只差 {figure(one.value)}。更多的指针带来的是余量：最快的三根在距离 {figure(few.distance)} 处差 "
            f"{figure(few.value, 3)}（相邻位置差 {figure(step)}）；全部 16 根在 100,000 以内，"
            f"最近的就是距离 {all_of_them.distance}。",
        ),
        Number(Text("nearest return of one hand", "一根指针最近的重合"), one.distance, TOKENS),
        Number(Text("gap there", "那里的差距"), one.value),
        Number(Text("nearest return of three hands", "三根指针最近的重合"), few.distance, TOKENS),
        Number(Text("gap there", "那里的差距"), few.value),
    )


def _draw_returns(**page: Any) -> Picture:
    counts, hands = (1, 3, 16), default_inv_freq(32)
    names = [Text("1 hand" if count == 1 else f"{count} hands", f"{count} 根指针") for count in counts]
    lines = [_nearest_so_far(hands[:count], name) for count, name in zip(counts, names, strict=True)]
    return plots.curves(lines, says=_SO_FAR, measured=_GAP, **page)


_GAP = Text("smallest gap", "最小差距")
_SO_FAR = Text(
    "The smallest gap to position 0 among all distances so far: 0 would be a repeat.",
    "到目前为止，与位置 0 的最小差距：等于 0 才是重复。",
)


def _nearest_so_far(speeds: np.ndarray, name: Text, reach: int = 2000) -> Labelled:
    gap = np.sqrt(np.maximum(2 * len(speeds) * (1 - kernel_range(speeds, reach, start=1).values), 0))
    return Labelled("gap", name, np.minimum.accumulate(gap), (distance_axis(np.arange(1, reach + 1)),))


def _stay_apart() -> Verdict:
    widths = (8, 16, 32)
    found = {width: uniqueness(default_inv_freq(width), 200_000) for width in widths}
    narrow = found[8]
    apart = [one.first_alias is None for one in found.values()]
    return judged(
        all(apart),
        Text(
            "Within 200,000 tokens, 8 dimensions (4 hands) have a position "
            f"{figure(narrow.nearest.distance)} away "
            f"that is only {figure(narrow.nearest.value)} off, where a neighbour is "
            f"{figure(narrow.neighbour)} off. "
            "From 16 dimensions on, nothing is nearer than the neighbour.",
            f"在 200,000 个词元以内，8 维（4 根指针）有一个相距 {figure(narrow.nearest.distance)} 的位置，"
            f"只差 {figure(narrow.nearest.value)}，而相邻位置差 {figure(narrow.neighbour)}。"
            "从 16 维起，没有哪个位置比相邻位置更近。",
        ),
        *(
            Number(
                Text(f"nearest position, width {width}", f"最近的位置，宽度 {width}"),
                one.nearest.distance,
                TOKENS,
            )
            for width, one in found.items()
        ),
        Number(Text("its gap, width 8", "它的差距，宽度 8"), narrow.nearest.value),
        condition=Text(
            "with enough hands: 16 dimensions or more at base 10000", "指针足够多（底数 10000 下至少 16 维）"
        ),
        holds_then=all(apart[1:]),
    )


def _draw_apart(**page: Any) -> Picture:
    widths = (8, 16, 32)
    lines = [_nearest_so_far(default_inv_freq(w), Text(f"width {w}", f"宽度 {w}")) for w in widths]
    return plots.curves(lines, says=_SO_FAR, measured=_GAP, **page)


CLAIMS = (
    Claim(
        id="one-hand-repeats",
        statement=Text(
            "One hand repeats; only because all hands must return at once is a position unique.",
            "一根指针会重复；只因为所有指针要同时回到原处，位置才是唯一的。",
        ),
        source="Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
        examine=_repeats,
        draw=_draw_returns,
    ),
    Claim(
        id="far-looks-far",
        statement=Text(
            "No far position looks nearer than a neighbour.", "远处的位置不会看起来比相邻位置还近。"
        ),
        source="Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
        examine=_stay_apart,
        draw=_draw_apart,
    ),
)
