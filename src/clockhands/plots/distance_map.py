"""Which distance each query and key are turned by, as a map, and beside it what the last query is given."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.distance_map import DistanceMap
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, grid, index_ticks, linear
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

TITLE = Text("Distances that the hands are given", "指针得到的距离")

MOST_CELLS = 1024
"""Rows and columns that are drawn at most; of larger maps every second, third, ... is."""
_SIDE = 4.1  # inches
_LEGEND = Text("On the right the last query; dashed: true distances.", "右边是最后一个查询；虚线：真实距离。")


def distance_map(
    found: DistanceMap, *, lang: Language = "en", title: Text = TITLE, about: Text = NOTHING
) -> Picture:
    """Draw a map ``(n, n)``, grey where nothing is seen, and the curve of the last query."""
    says = (_exact(found), _largest(found), _unseen(found), _LEGEND)
    said = Text(" ".join(fact.en for fact in says), "".join(fact.zh for fact in says))
    with sheet(lang, title, about=about, says=(said,), note=found.map.note, body=4.95) as page:
        _draw_map(page, found)
        _draw_curve(page, found.last)
        return page.picture(found.map, found.last)


def _exact(found: DistanceMap) -> Text:
    if found.exact == len(found.last.values):
        return Text(
            "Up to here nothing is remapped: ask for more positions.",
            "在这个范围内没有任何改动：请多给一些位置。",
        )
    first = numeral(float(found.last.axes[0].values[found.exact]))
    return Text(
        f"The last query is given true distances below {first}.",
        f"最后一个查询在距离小于 {first} 时得到真实的距离。",
    )


def _largest(found: DistanceMap) -> Text:
    largest = numeral(found.largest)
    return Text(f"No distance is larger than {largest}.", f"没有一个距离超过 {largest}。")


def _unseen(found: DistanceMap) -> Text:
    if not np.isnan(found.last.values).any():
        return Text("Grey: keys after the query, masked.", "灰色：查询之后的键，被因果掩码遮住。")
    return Text(
        "Grey: keys that are not seen, after the query or dropped.",
        "灰色：看不到的键，在查询之后或已被丢弃。",
    )


def _draw_map(page: Sheet, found: DistanceMap) -> None:
    values = found.map.values
    step = -(-len(values) // MOST_CELLS)
    cells, count = values[::step, ::step], len(values)
    panel = page.panel(MARGIN + 0.55, 0.3, _SIDE, _SIDE, "map")
    panel.set_facecolor(style.NO_DATA)
    image = panel.imshow(
        np.ma.masked_invalid(cells), cmap=style.SEQUENTIAL, vmin=0.0, vmax=max(found.largest, 1.0),
        aspect="auto", interpolation="nearest", extent=(-0.5, count - 0.5, count - 0.5, -0.5),
    )  # fmt: skip
    frameless(panel)
    index_ticks(panel, "x", found.map.axes[1], 6, page.lang)
    index_ticks(panel, "y", found.map.axes[0], 6, page.lang)
    panel.set_xlabel(axis_words(found.map.axes[1], page.lang))
    page.write(MARGIN, 0.2, axis_words(found.map.axes[0], page.lang), va="baseline")
    colour_bar(page, image, MARGIN + 0.55 + _SIDE + 0.22, 0.3, _SIDE, found.map.unit.said_in(page.lang))


def _draw_curve(page: Sheet, last: Labelled) -> None:
    left = MARGIN + 6.0
    panel = page.panel(left + 0.25, 0.3, page.width - MARGIN - left - 0.35, _SIDE, "curve")
    true = np.asarray(last.axes[0].values, dtype=np.float64)
    far = max(float(true[-1]), 1.0)
    linear(panel, "x", 0.0, far, whole=True)
    linear(panel, "y", 0.0, 1.04 * far, whole=True)
    grid(panel)
    marker = "o" if len(true) == 1 else ""
    panel.plot(true, true, color=style.QUIET, linewidth=1.0, linestyle="--", label="true")
    panel.plot(true, last.values, color=style.CATEGORIES[0], linewidth=1.8, marker=marker, label="given")
    panel.set_xlabel(axis_words(last.axes[0], page.lang))
    page.write(left, 0.2, axis_words(last, page.lang), va="baseline")
