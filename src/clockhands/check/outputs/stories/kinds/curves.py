"""Curves of what is meant and of what comes out, over positions, distances, heads or lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.check.outputs.stories.story import Story, legend
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.numerals import round_ticks
from clockhands.plots.scales import grid, linear, logarithmic, set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet
from clockhands.plots.wording import axis_words, with_unit

Look = Literal["line", "dots", "rings"]
_SIGNS = {"line": "—", "dots": "●", "rings": "○"}


@dataclass(frozen=True)
class Curve:
    """One curve: its ``name``, its ``values`` along the axis, ``(n,)``, NaN where there are none."""

    name: Text
    values: ArrayLike
    colour: str
    look: Look = "line"


def curves(
    says: Text,
    along: Axis,
    upright: Text,
    drawn: Sequence[Curve],
    *,
    unit: Text = NOTHING,
    log: Literal["", "x", "y", "xy"] = "",
    level: tuple[float, Text] | None = None,
) -> Story:
    """Curves on one pair of axes.

    along    what the curves run along; ``upright`` and ``unit`` are what they measure
    log      which axes are logarithmic
    level    a line to compare with, and its name
    """
    lines = [
        Labelled(f"curve{place}", each.name, np.asarray(each.values, np.float64), (along,), unit)
        for place, each in enumerate(drawn)
    ]

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        entries = [(_SIGNS[each.look], each.colour, each.name) for each in drawn]
        legend(page, entries if level is None else [*entries, ("- -", ACCENT, level[1])])
        page.write(MARGIN, 0.44, with_unit(upright, unit, page.lang), va="baseline", size=style.SMALL_SIZE)
        panel = page.panel(MARGIN + 0.6, 0.56, page.width - 2 * MARGIN - 0.75, 3.6, "curves")
        x = np.asarray(along.values, np.float64)
        values = np.concatenate([line.values for line in lines])
        known = values[np.isfinite(values) & ((values > 0) | ("y" not in log))]
        low, high = float(known.min()), float(known.max())
        if level is not None:
            low, high = min(low, level[0]), max(high, level[0])
        if "x" in log:
            logarithmic(panel, "x", float(x.min()) / 1.05, float(x.max()) * 1.1)
        else:
            room = 0.02 * float(x.max() - x.min())
            whole = np.asarray(along.values).dtype.kind in "iu"
            panel.set_xlim(float(x.min()) - room, float(x.max()) + room)
            set_ticks(panel, "x", round_ticks(float(x.min()), float(x.max()), 10, whole=whole))
        if "y" in log:
            logarithmic(panel, "y", low / 1.6, high * 1.6)
        else:
            room = 0.06 * (high - low or 1.0)
            linear(panel, "y", low - room, high + room)
        grid(panel)
        for each, line in zip(drawn, lines, strict=True):
            if each.look == "line":
                panel.plot(x, line.values, color=each.colour)
            else:
                face = each.colour if each.look == "dots" else style.PAGE
                size = 4.5 if each.look == "dots" else 7.5
                if len(x) > 64:
                    size /= 2
                panel.plot(
                    x, line.values, linestyle="", marker="o", markersize=size, color=each.colour,
                    markerfacecolor=face, zorder=4 if each.look == "dots" else 3,
                )  # fmt: skip
        if level is not None:
            panel.axhline(level[0], color=ACCENT, linewidth=1.2, linestyle=(0, (5, 3)))
        panel.set_xlabel(axis_words(along, page.lang))
        return tuple(lines)

    return Story(says, draw, 4.7)
