"""Ticks, frames and colours of a panel, set explicitly so that nothing is left to matplotlib's guess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import Axis
from clockhands.language import Language
from clockhands.plots import style
from clockhands.plots.numerals import numeral, power_ticks, round_ticks, thinned
from clockhands.plots.sheet import Sheet
from clockhands.plots.wording import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Side = Literal["x", "y"]


def set_ticks(panel: Axes, side: Side, places: Sequence[float], labels: Sequence[str] | None = None) -> None:
    """Ticks at ``places`` with ``labels``, by default the places themselves as numbers."""
    labels = [numeral(place) for place in places] if labels is None else labels
    (panel.set_xticks if side == "x" else panel.set_yticks)(list(places), list(labels))
    panel.tick_params(axis=side, length=3)


def linear(panel: Axes, side: Side, low: float, high: float, *, most: int = 6, whole: bool = False) -> None:
    """A linear axis from ``low`` to ``high`` with round ticks."""
    (panel.set_xlim if side == "x" else panel.set_ylim)(low, high)
    set_ticks(panel, side, round_ticks(min(low, high), max(low, high), most, whole=whole))


def logarithmic(panel: Axes, side: Side, low: float, high: float, *, most: int = 7) -> None:
    """A logarithmic axis with ticks at powers of ten, written out."""
    if side == "x":
        panel.set_xscale("log")
        panel.set_xlim(low, high)
    else:
        panel.set_yscale("log")
        panel.set_ylim(low, high)
    set_ticks(panel, side, power_ticks(low, high, most))
    (panel.xaxis if side == "x" else panel.yaxis).set_minor_locator(_no_ticks())


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def index_ticks(panel: Axes, side: Side, axis: Axis, most: int, lang: Language) -> None:
    """Ticks of an image's side whose cell i is centred on i: round values, or labels evenly thinned."""
    values = np.asarray(axis.values)
    if values.dtype.kind not in "biuf":
        chosen = thinned(len(values), most)
        set_ticks(panel, side, chosen, labels([values[index] for index in chosen], lang))
        return
    if len(values) < 2 or not np.all(np.diff(values) > 0):
        chosen = thinned(len(values), most)
        set_ticks(panel, side, chosen, [numeral(float(values[index])) for index in chosen])
        return
    ticks = round_ticks(float(values[0]), float(values[-1]), most, whole=values.dtype.kind in "iu")
    set_ticks(
        panel, side, np.interp(ticks, values, np.arange(len(values))).tolist(), [numeral(t) for t in ticks]
    )


def grid(panel: Axes, side: Literal["x", "y", "both"] = "y") -> None:
    """Quiet lines behind the drawing."""
    panel.grid(visible=True, axis=side, color=style.RULE, linewidth=0.6)
    panel.set_axisbelow(True)


def frameless(panel: Axes) -> None:
    """No frame, no tick marks: for images, whose edge is frame enough."""
    for spine in panel.spines.values():
        spine.set_visible(False)
    panel.tick_params(length=0)


def symmetric_limit(*values: NDArray[Any]) -> float:
    """Largest magnitude of all that is finite, 1 where there is none: limits are minus and plus this."""
    sizes = [float(np.abs(v[np.isfinite(v)]).max()) for v in values if np.isfinite(v).any()]
    return max(sizes, default=0.0) or 1.0


def finite_range(*values: NDArray[Any]) -> tuple[float, float]:
    """Smallest and largest of all that is finite and of 0; (0, 1) where there is nothing but 0."""
    low = high = 0.0
    for each in values:
        seen = np.isfinite(each)
        finite = each if seen.all() else each[seen]  # no copy of long ones
        low, high = min(low, float(finite.min(initial=0.0))), max(high, float(finite.max(initial=0.0)))
    return (low, high) if low < high else (0.0, 1.0)


def between(*values: NDArray[Any]) -> tuple[float, float]:
    """Smallest and largest of all that is finite; around it where they are one, (0, 1) without any."""
    finite = np.concatenate([v[np.isfinite(v)] for v in values])
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def colour_bar(
    sheet: Sheet,
    mappable: Any,
    x: float,
    y: float,
    height: float,
    label: str,
    *,
    name: str = "colours",
    ticks: Sequence[float] | None = None,
) -> Axes:
    """A thin colour bar with its top-left corner at (x, y), its label above it; round ticks by default."""
    panel = sheet.panel(x, y, 0.14, height, name)
    bar = sheet.figure.colorbar(mappable, cax=panel)
    if ticks is None:
        low, high = mappable.get_clim()
        ticks = round_ticks(low, high, 5)
    bar.set_ticks(ticks)
    bar.set_ticklabels([numeral(tick) for tick in ticks])
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    panel.tick_params(length=0, labelsize=style.SMALL_SIZE)
    panel.set_label(name)
    sheet.write(x, y - 0.1, label, size=style.SMALL_SIZE, va="baseline")
    return panel
