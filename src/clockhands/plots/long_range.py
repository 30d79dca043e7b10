"""Very long sequences: the similarity curve over a million positions, and what each precision tells apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.analysis.axes import TOKENS
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.analysis.precision import PRECISIONS, Precision, distinct_positions
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.given import DISTANCE, labelled
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, linear, logarithmic
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

TITLE = Text("Very long sequences", "超长序列")

_BINS = 700


def told_apart(longest: int, precisions: Sequence[Precision] = PRECISIONS) -> Labelled:
    """How many of the first n positions each precision tells apart, ``(precisions, lengths)``.

    The lengths are spread evenly on a logarithmic axis up to ``longest``.

    >>> int(told_apart(4096, ["bf16"]).values[0, -1])
    769
    """
    lengths = np.unique(np.geomspace(1, longest, 200).round().astype(np.int64))
    counts = [
        np.array([distinct_positions(length, precision).distinct for length in lengths.tolist()])
        for precision in precisions
    ]
    axes = (
        Axis(Text("precision", "精度"), np.array(precisions)),
        Axis(Text("positions", "位置数"), lengths, TOKENS),
    )
    return Labelled(
        "told_apart", Text("positions told apart", "能区分的位置数"), np.stack(counts), axes, TOKENS
    )


def long_range(
    curve: Labelled,
    apart: Labelled,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw a similarity curve ``(n,)`` from distance 0 on and, beside it, ``told_apart``.

    ClockhandsError: the curve is not one-dimensional, empty, or not numbers.
    """
    curve = labelled(curve, "kernel", Text("similarity", "相似度"), (DISTANCE,))
    with sheet(
        lang, title, about=about, says=(_lowest(curve), _clashes(apart)), note=curve.note, body=4.7
    ) as page:
        _draw_curve(page, curve)
        _draw_apart(page, apart)
        return page.picture(curve, apart)


def _lowest(curve: Labelled) -> Text:
    place = int(np.argmin(curve.values))
    at, low = numeral(float(curve.axes[0].values[place])), numeral(float(curve.values[place]), 3)
    return Text(
        f"Similarity does not die away: its lowest value, {low}, is at distance {at}, "
        "and it keeps swinging after that.",
        f"相似度不会消失殆尽：最低值 {low} 出现在距离 {at}，之后仍在起伏。",
    )


def _clashes(apart: Labelled) -> Text:
    last = numeral(float(apart.axes[1].values[-1]))
    parts = [
        f"{name} {numeral(float(row[-1]))}"
        for name, row in zip(apart.axes[0].values, apart.values, strict=True)
    ]
    return Text(
        f"Of {last} positions, still told apart as numbers: {', '.join(parts)}.",
        f"{last} 个位置存成浮点数后还能区分的个数：{'，'.join(parts)}。",
    )


def _draw_curve(page: Sheet, curve: Labelled) -> None:
    panel = page.panel(MARGIN + 0.4, 0.35, 5.1, 3.75, "kernel")
    values, longest = np.asarray(curve.values, dtype=np.float64), len(curve.values)
    edges = np.unique(np.geomspace(1, longest, _BINS).astype(np.int64))[:-1]
    starts = edges[edges < longest]
    lowest, highest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    middle = np.sqrt(starts * np.append(starts[1:], longest))
    logarithmic(panel, "x", 1, longest)
    linear(panel, "y", min(-0.05, 1.15 * float(values.min())), 1.06 * float(values.max()))
    grid(panel)
    panel.axhline(0, color=style.QUIET, linewidth=0.8)
    panel.fill_between(middle, lowest, highest, color=style.CATEGORIES[0], alpha=0.35, linewidth=0)
    panel.plot(middle, highest, color=style.CATEGORIES[0], linewidth=0.9)
    panel.plot(middle, lowest, color=style.CATEGORIES[0], linewidth=0.9)
    panel.set_xlabel(axis_words(curve.axes[0], page.lang))
    page.write(MARGIN, 0.2, axis_words(curve, page.lang), va="baseline")


def _draw_apart(page: Sheet, apart: Labelled) -> None:
    left = MARGIN + 6.35
    panel = page.panel(left + 0.45, 0.35, page.width - MARGIN - left - 1.15, 3.75, "told apart")
    lengths = np.asarray(apart.axes[1].values, dtype=np.float64)
    logarithmic(panel, "x", 1, max(float(lengths[-1]), 10), most=4)
    logarithmic(panel, "y", 1, max(1.3 * float(apart.values.max()), 10))
    grid(panel, "both")
    ends = np.log10(apart.values[:, -1].astype(np.float64))
    for index, (name, row) in enumerate(zip(apart.axes[0].values, apart.values, strict=True)):
        colour = style.CATEGORIES[(1, 2, 0)[index % 3]]
        panel.plot(lengths, row, color=colour, linewidth=1.8)
        lift = -9 if any(0 < other - ends[index] < 0.12 for other in ends) else 0
        panel.annotate(
            str(name), (lengths[-1], row[-1]), xytext=(6, lift), textcoords="offset points", va="center",
            color=colour, annotation_clip=False,
        )  # fmt: skip
    panel.set_xlabel(axis_words(apart.axes[1], page.lang))
    page.write(left, 0.2, axis_words(apart, page.lang), va="baseline")
