"""One hand drawn both ways: as stored, (sin, cos), and with the two exchanged."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.picture import Picture
from clockhands.plots.scales import frameless
from clockhands.plots.sheet import MARGIN, Sheet, sheet

TITLE = Text("Which way a hand turns", "指针往哪边转")

MOST_PLACES = 12
_DIAL = 3.6  # inches
_WAYS = (
    Text("(sin, cos), as stored: from twelve, clockwise", "(sin, cos)，表里的样子：从十二点出发，顺时针"),
    Text("(cos, sin): from three, anticlockwise", "(cos, sin)：从三点出发，逆时针"),
)


def hand_directions(
    tips: Labelled, *, lang: Language = "en", title: Text = TITLE, about: Text = NOTHING
) -> Picture:
    """Draw the first hand of ``tips``, ``(positions, pairs, 2)`` as (sin, cos), at each position, both ways.

    ClockhandsError: another shape, or more positions than can be told apart on a dial.
    """
    shape = np.shape(tips.values)
    if len(shape) != 3 or shape[2] != 2 or not 1 <= shape[0] <= MOST_PLACES:
        raise ClockhandsError(
            f"tips have shape {shape}: give (positions, pairs, 2), {MOST_PLACES} positions at most",
            f"指针尖的形状是 {shape}：应为（位置，维度对，2），位置不超过 {MOST_PLACES} 个",
        )
    with sheet(lang, title, about=about, note=tips.note, body=4.7) as page:
        for column, (way, (x, y)) in enumerate(zip(_WAYS, ((0, 1), (1, 0)), strict=True)):
            middle = MARGIN + (page.width - 2 * MARGIN) * (0.26 + 0.48 * column)
            _draw_dial(page, middle, way, tips.values[:, 0, x], tips.values[:, 0, y], tips.axes[0].values)
        return page.picture(tips)


def _draw_dial(
    page: Sheet, middle: float, way: Text, x: np.ndarray, y: np.ndarray, positions: np.ndarray
) -> None:
    from matplotlib.patches import Circle

    page.write(middle, 0.2, way.said_in(page.lang), ha="center")
    panel = page.panel(middle - _DIAL / 2, 0.45, _DIAL, _DIAL, way.en)
    panel.set_xlim(-1.3, 1.3)
    panel.set_ylim(-1.3, 1.3)
    panel.set_aspect("equal")
    panel.set_facecolor("none")
    frameless(panel)
    panel.add_patch(Circle((0, 0), 1, facecolor=style.PANEL, edgecolor=style.RULE, linewidth=1.2))
    panel.plot([0, 0], [1.02, 1.1], color=style.QUIET, linewidth=1.2)
    colours = style.hand_colours(len(positions)) / 255
    for colour, across, up, position in zip(colours, x, y, positions, strict=True):
        panel.plot([0, 0.86 * across], [0, 0.86 * up], color=tuple(colour), linewidth=2)
        panel.text(
            1.17 * across, 1.17 * up, f"{position}", color=tuple(colour), ha="center", va="center",
            fontsize=style.LABEL_SIZE,
        )  # fmt: skip
    panel.plot([0], [0], "o", markersize=4, color=style.INK)
