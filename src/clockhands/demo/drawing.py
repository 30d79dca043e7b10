"""Small maps side by side, on the page that all pictures share: for what only the story needs to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, power_ticks
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, index_ticks, linear, logarithmic, symmetric_limit
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet, sheet
from clockhands.plots.token_labels import above, beside, put_above, put_beside
from clockhands.plots.wording import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

_GAP = 0.3  # inches between a panel and the labels of the next
_BAR = 0.75  # inches for a colour bar and its numbers, at least
_VALUE = Text("value", "数值")
_LOW = 2.9
_NARROWEST = 7.0


@dataclass(frozen=True)
class Map:
    """One panel: a matrix ``(rows, columns)`` with its first row on top, and what is written over it."""

    values: Labelled
    heading: Text


def maps(
    panels: Sequence[Map],
    *,
    lang: Language,
    title: Text,
    says: Sequence[Text] = (),
    weights: bool = False,
    shared: bool = True,
    square: bool = True,
    powers: bool = False,
    widest: float = 3.3,
) -> Picture:
    """Draw the panels in one row, signed numbers with colours symmetric around zero.

    weights the numbers are 0 or more: a sequential map
    shared  one scale for all panels; else each has its own bar
    square  panels as high as they are wide
    powers  the numbers are above 0: a logarithmic scale, with its powers of ten
    widest  inches of a panel at most
    """
    notes = [panel.values.note for panel in panels if panel.values.note != NOTHING]
    heading = {"title": title, "says": says, "note": notes[0] if notes else NOTHING}
    with sheet(lang, **heading) as page:
        names = [_bar_name(panels if shared else [panel], lang) for panel in panels]
        bars = [max(_BAR, 0.25 + page.width_of(name, style.SMALL_SIZE)) for name in names]
        lefts = [_room_left(page, panel.values) for panel in panels]
        room = (
            page.width
            - 2 * MARGIN
            - (bars[-1] if shared else sum(bars))
            - sum(lefts)
            - _GAP * (len(panels) - 1)
        )
        width = min(room / len(panels), widest)
        height = width if square else _LOW
        top = max(_room_above(page, panel.values, width) for panel in panels)
        spare = room - width * len(panels)
    with sheet(lang, **heading, width=max(page.width - spare, _NARROWEST), body=top + height + 0.85) as page:
        tables = [np.asarray(panel.values.values, dtype=np.float64) for panel in panels]
        norms = [_norm(tables if shared else [table], weights, powers) for table in tables]
        x = MARGIN
        for index, (panel, left) in enumerate(zip(panels, lefts, strict=True)):
            axes = page.panel(x + left, top + 0.4, width, height, f"map {index}")
            image = _draw(axes, tables[index], norms[index], weights or powers)
            _name_sides(page, lang, axes, panel.values, (x, top + 0.3), (width, height))
            page.write(x + left, 0.15, panel.heading.said_in(lang), colour=style.INK, va="baseline")
            x += left + width
            if not shared or index == len(panels) - 1:
                ticks = power_ticks(*image.get_clim()) if powers else None
                words, id = names[index], f"colours {index}"
                colour_bar(page, image, x + 0.15, top + 0.4, height, words, name=id, ticks=ticks)
                x += bars[index]
            x += _GAP
        return page.picture(*(panel.values for panel in panels))


def _bar_name(panels: Sequence[Map], lang: Language) -> str:
    """What a bar measures: what its panels hold, if that has one name."""
    names = {axis_words(panel.values, lang) for panel in panels}
    return names.pop() if len(names) == 1 else _VALUE.said_in(lang)


def _norm(tables: Sequence[NDArray[np.float64]], weights: bool, powers: bool) -> Normalize:
    """The scale that all ``tables`` share."""
    from matplotlib.colors import LogNorm, Normalize

    if powers:
        return LogNorm(min(map(np.min, tables)), max(map(np.max, tables)))
    limit = symmetric_limit(*tables)
    return Normalize(0.0 if weights else -limit, limit)


def _draw(axes: Axes, table: NDArray[np.float64], norm: Normalize, sequential: bool) -> Any:
    colours = style.SEQUENTIAL if sequential else style.DIVERGING
    axes.set_facecolor(style.NO_DATA)
    return axes.imshow(
        np.ma.masked_invalid(table), cmap=colours, norm=norm, aspect="auto", interpolation="nearest"
    )


def _name_sides(
    page: Sheet,
    lang: Language,
    axes: Axes,
    values: Labelled,
    corner: tuple[float, float],
    size: tuple[float, float],
) -> None:
    frameless(axes)
    rows, columns = values.axes
    if _tokens(rows):
        put_beside(axes, beside(page, list(rows.values), size[1]))
    else:
        index_ticks(axes, "y", rows, 6, lang)
        page.write(*corner, axis_words(rows, lang), size=style.SMALL_SIZE, va="baseline")
    if _tokens(columns):
        put_above(axes, above(page, list(columns.values), size[0]))
    else:
        index_ticks(axes, "x", columns, 5, lang)
        axes.set_xlabel(axis_words(columns, lang))


def _tokens(axis: Axis) -> bool:
    return np.asarray(axis.values).dtype.kind not in "biuf"


def _room_left(page: Sheet, values: Labelled) -> float:
    """Inches for the labels of the rows."""
    if _tokens(values.axes[0]):
        return beside(page, list(values.axes[0].values), _LOW).longest + 0.1
    return 0.42


def _room_above(page: Sheet, values: Labelled, width: float) -> float:
    """Inches for the labels of the columns."""
    if _tokens(values.axes[1]):
        return above(page, list(values.axes[1].values), width).longest + 0.05
    return 0.15


def dots(
    values: Labelled, marked: Sequence[int], *, lang: Language, title: Text, says: Sequence[Text] = ()
) -> Picture:
    """Draw positive numbers ``(n,)`` as dots, logarithmic, with those at the indices ``marked`` named."""
    at, sizes = np.asarray(values.axes[0].values), np.asarray(values.values)
    with sheet(lang, title, says=says, body=4.2) as page:
        panel = page.panel(MARGIN + 0.6, 0.35, page.width - 2 * MARGIN - 0.9, 3.3, "dots")
        linear(panel, "x", float(at[0]), float(at[-1]), most=10, whole=True)
        logarithmic(panel, "y", sizes.min() / 3, sizes.max() * 2)
        panel.scatter(at, sizes, s=7, color=style.CATEGORIES[0], linewidths=0)
        chosen = list(marked)
        panel.scatter(at[chosen], sizes[chosen], s=40, facecolor="none", edgecolor=ACCENT, linewidth=1.4)
        for index in chosen:
            panel.annotate(
                numeral(float(at[index])), (at[index], sizes[index]), xytext=(8, -3),
                textcoords="offset points", color=ACCENT, fontsize=style.SMALL_SIZE,
            )  # fmt: skip
        panel.set_xlabel(axis_words(values.axes[0], lang))
        page.write(MARGIN, 0.2, axis_words(values, lang), va="baseline")
        return page.picture(values)
