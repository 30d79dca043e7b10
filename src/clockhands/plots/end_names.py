"""Names of curves, written where the curves end and tied to them where there was no room beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clockhands.plots import style
from clockhands.plots.sheet import Sheet
from clockhands.plots.spacing import apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 0.25  # inches that the ties need between a panel and its names


def name_ends(
    page: Sheet, panel: Axes, names: Sequence[str], ends: Sequence[float], colours: Sequence[Any], gap: float,
    *, size: float,
) -> None:  # fmt: skip
    """Write each name beside its end, a height on the panel's axis; names are ``gap`` apart."""
    across = panel.get_position().width * page.width
    heights = apart(list(ends), gap, *reversed(panel.get_ylim()))
    beside = ("axes fraction", "data")
    for name, end, height, colour in zip(names, ends, heights, colours, strict=True):
        tie = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 3, "shrinkB": 0}
        there = {"xytext": (1 + ROOM / across, height), "textcoords": beside, "annotation_clip": False}
        panel.annotate("", (1, end), xycoords=beside, arrowprops=tie, **there)
        panel.annotate(
            name, (1, end), xycoords=beside, va="center", color=style.legible(colour), fontsize=size, **there
        )
