"""The similarity of two positions as one curve over their distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.blocks import parts
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.decimate import envelope
from clockhands.plots.given import DISTANCE, labelled
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import finite_range, grid, linear
from clockhands.plots.sheet import ACCENT, MARGIN, sheet
from clockhands.plots.wording import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Similarity by distance", "相似度与距离")

MOST_POINTS = 1500
"""Longer curves are drawn as a band from the smallest to the largest value at each place."""
_NOISE = 1e-12


def kernel(
    curve: Labelled | ArrayLike,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw similarity ``(distances,)`` over distance, zero marked, and say where it first rises.

    ClockhandsError: not one dimension, empty, or not numbers.
    """
    curve = labelled(curve, "kernel", Text("similarity", "相似度"), (DISTANCE,))
    with sheet(lang, title, about=about, says=(rises(curve),), note=curve.note, body=4.6) as page:
        panel = page.panel(MARGIN + 0.35, 0.35, page.width - 2 * MARGIN - 0.5, 3.65, "kernel")
        distances = np.asarray(curve.axes[0].values)
        draw_kernel(panel, distances, curve.values)
        mark_first_rise(panel, distances, curve.values, lang)
        panel.set_xlabel(axis_words(curve.axes[0], lang))
        page.write(MARGIN, 0.2, axis_words(curve, lang), va="baseline")
        return page.picture(curve)


def first_rise(values: NDArray[np.float64]) -> int | None:
    """Index from which the curve first goes up instead of down, rounding aside; None if it never does."""
    return _ups(values)[0]


def _ups(values: NDArray[np.float64]) -> tuple[int | None, int]:
    """The first step that goes up, rounding aside, and how many do."""
    least = _NOISE * max(-float(values.min()), float(values.max()))
    first, count = None, 0
    for part in parts(len(values) - 1):
        up = np.diff(values[part.start : part.stop + 1]) > least
        count += int(np.count_nonzero(up))
        first = part.start + int(up.argmax()) if first is None and up.any() else first
    return first, count


def rises(curve: Labelled) -> Text:
    """In words: whether the curve falls steadily, and if not, where it first rises and how often."""
    values, distances = curve.values, curve.axes[0].values
    if len(values) < 2:
        return NOTHING
    start, count = _ups(values)
    if start is None:
        return Text("It never rises within this range.", "在这个范围内从不回升。")
    share = count / (len(values) - 1)
    here, there = numeral(float(distances[start])), numeral(float(distances[start + 1]))
    low, high = _told_apart(float(values[start]), float(values[start + 1]))
    return Text(
        f"It does not fall steadily: from distance {here} to {there} it rises for the first time, "
        f"from {low} to {high}; {share:.0%} of all steps shown go up.",
        f"它并不是一路下降：从距离 {here} 到 {there} 第一次回升（{low} → {high}）；"
        f"图中 {share:.0%} 的步子是向上的。",
    )


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see which is larger."""
    pairs = ((numeral(one, digits), numeral(other, digits)) for digits in range(4, 16))
    return next((pair for pair in pairs if pair[0] != pair[1]), (numeral(one), numeral(other)))


def draw_kernel(panel: Axes, distances: NDArray[Any], values: NDArray[np.float64]) -> None:
    """The curve with its zero line and round limits."""
    low, high = finite_range(values)
    room = 0.06 * (high - low)
    linear(
        panel,
        "x",
        float(distances[0]),
        max(float(distances[-1]), float(distances[0]) + 1),
        most=8,
        whole=True,
    )
    linear(panel, "y", low - (room if low < 0 else 0), high + room, most=6)
    grid(panel)
    panel.axhline(0, color=style.QUIET, linewidth=0.8)
    if len(values) > MOST_POINTS:
        starts, lowest, highest = envelope(values, MOST_POINTS)
        panel.fill_between(
            distances[starts].astype(np.float64), lowest, highest, color=style.CATEGORIES[0], linewidth=0.6
        )
    else:
        dots = {"marker": "o", "markersize": 2.6} if len(values) <= 130 else {}
        panel.plot(distances, values, color=style.CATEGORIES[0], **dots)


def mark_first_rise(
    panel: Axes, distances: NDArray[Any], values: NDArray[np.float64], lang: Language
) -> None:
    """A ring where the curve stops falling."""
    start = first_rise(values)
    if start is None:
        return
    place = (float(distances[start]), float(values[start]))
    panel.scatter([place[0]], [place[1]], s=46, facecolor="none", edgecolor=ACCENT, linewidth=1.4, zorder=5)
    words = Text("first rise", "第一次回升").said_in(lang)
    # The words stand above all that the curve does beneath them.
    beneath = values[start : start + max(2, int(0.16 * len(values)))]
    panel.annotate(
        words, (place[0], float(beneath.max())), xytext=(9, 9), textcoords="offset points", color=ACCENT,
        fontsize=style.SMALL_SIZE,
    )  # fmt: skip
