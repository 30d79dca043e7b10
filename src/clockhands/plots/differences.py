"""Differences with their intervals, one a line, around zero: what excludes it stands out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, linear, set_ticks
from clockhands.plots.sheet import MARGIN, sheet
from clockhands.plots.wording import shortened, with_unit

TITLE = Text("Differences", "差别")

_ROW = 0.34  # inches
_NAMES = 56  # columns of a name


def differences(
    found: Labelled,
    supported: Sequence[bool],
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw ``(pairs, 3)``: what was measured and the ends of its interval.

    supported  which of them are more than chance: those are coloured, the others grey
    """
    values = np.asarray(found.values, dtype=np.float64)
    height = _ROW * len(values) + 0.1
    with sheet(
        lang, title, about=about, says=(says,) if says != NOTHING else (), note=note, body=height + 0.85
    ) as page:
        names = [shortened(str(one), _NAMES) for one in found.axes[0].values]
        left = MARGIN + max(page.width_of(name) for name in names) + 0.15
        panel = page.panel(left, 0.05, page.width - left - MARGIN, height, "differences")
        reach = 1.08 * max(float(np.abs(values).max()), 1e-9)
        linear(panel, "x", -reach, reach)
        grid(panel, "x")
        panel.set_ylim(len(values) - 0.5, -0.5)
        set_ticks(panel, "y", range(len(names)), names)
        panel.axvline(0, color=style.INK, linewidth=1)
        for row, (value, low, high) in enumerate(values):
            colour = style.CATEGORIES[0] if supported[row] else style.QUIET
            panel.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
            panel.plot([value], [row], color=colour, marker="o", markersize=6, label=names[row])
        panel.set_xlabel(with_unit(found.name, found.unit, lang))
        return page.picture(found)
