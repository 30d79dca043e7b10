"""Lengths and magnitudes as bars, the one that doesn't fit in another colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.check.outputs.stories.story import RIGHT, WRONG, Story
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral
from clockhands.plots.scales import grid, linear, logarithmic
from clockhands.plots.sheet import MARGIN, Sheet
from clockhands.plots.wording import with_unit

_ROW = 0.55


class Bar(NamedTuple):
    """One bar: what it is, how long, and whether it is what's wrong."""

    name: Text
    value: float
    wrong: bool = False


def bars(
    says: Text, measure: Text, drawn: Sequence[Bar], *, unit: Text = NOTHING, log: bool = False
) -> Story:
    """Lying bars from top to bottom, with their numbers at the end; ``log`` for lengths that differ much."""

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        values = np.array([bar.value for bar in drawn], np.float64)
        names = [bar.name.said_in(page.lang) for bar in drawn]
        left = max(page.width_of(name) for name in names) + 0.2
        height = _ROW * len(drawn)
        panel = page.panel(MARGIN + left, 0.1, page.width - 2 * MARGIN - left - 0.9, height, "bars")
        start = 10.0 ** np.floor(np.log10(values.min() / 2)) if log else 0.0
        if log:
            logarithmic(panel, "x", float(start), float(values.max()) * 1.15)
        else:
            linear(panel, "x", 0.0, float(values.max()) * 1.05)
        panel.set_ylim(len(drawn) - 0.5, -0.5)
        grid(panel, "x")
        for place, bar in enumerate(drawn):
            colour = WRONG if bar.wrong else RIGHT
            panel.barh(place, bar.value - start, 0.56, left=start, color=colour)
            panel.annotate(
                numeral(bar.value, 7), (bar.value, place), xytext=(5, 0), textcoords="offset points",
                va="center", color=style.legible(colour), annotation_clip=False,
            )  # fmt: skip
            page.write(MARGIN, 0.1 + _ROW * (place + 0.5), names[place], colour=style.INK, va="center")
        panel.set_xlabel(with_unit(measure, unit, page.lang))
        axis = Axis(Text("bar", "条"), np.array([bar.name.en for bar in drawn]))
        return (Labelled("bars", measure, values, (axis,), unit),)

    return Story(says, draw, 0.75 + _ROW * len(drawn))
