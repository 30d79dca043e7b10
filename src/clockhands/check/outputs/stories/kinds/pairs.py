"""Which dimensions of a head make a hand: boxes, joined by arcs, in the colour of the angle that they get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clockhands.analysis.axes import dimension_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.check.outputs.stories.story import Story, legend
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT = -1
"""In place of a hand or a partner: the dimension has none."""
_COLOURS = (*style.CATEGORIES[:6], "#8c6bb1", "#7a5c2e")
_ROW = 1.45


@dataclass(frozen=True)
class Head:
    """One way to turn a head of ``width`` dimensions.

    partner  ``(width,)``: the dimension that each is turned with, LEFT for none
    hand     ``(width,)``: whose angle each dimension gets, LEFT for none
    stored   ``(width,)``: what is written in each box; the dimension's number by default
    lost     dimensions that something is wrong with
    """

    name: Text
    partner: Sequence[int]
    hand: Sequence[int]
    stored: Sequence[int] | None = None
    lost: tuple[int, ...] = ()


def half(width: int, head: int | None = None) -> tuple[list[int], list[int]]:
    """Partners and hands where i goes with i + width / 2, in a head of ``head`` dimensions.

    >>> half(4)
    ([2, 3, 0, 1], [0, 1, 0, 1])
    """
    side, rest = width // 2, [LEFT] * ((head or width) - width)
    return [(place + side) % width for place in range(width)] + rest, [*range(side)] * 2 + rest


def neighbours(width: int, head: int | None = None) -> tuple[list[int], list[int]]:
    """Partners and hands where 2i goes with 2i + 1.

    >>> neighbours(4)
    ([1, 0, 3, 2], [0, 0, 1, 1])
    """
    rest = [LEFT] * ((head or width) - width)
    return [place ^ 1 for place in range(width)] + rest, [place // 2 for place in range(width)] + rest


def pairs(says: Text, heads: Sequence[Head]) -> Story:
    """One row a way to turn the head; a box without arc is left as it is."""

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        legend(page, [
            ("■", style.CATEGORIES[0], Text("one colour: one angle", "同色：同一角度")),
            ("⌒", style.INK, Text("turned together", "一起转动")),
            ("■", style.RULE, Text("not turned", "不转动")),
        ])  # fmt: skip
        for place, head in enumerate(heads):
            _row(page, head, 0.35 + _ROW * place)
        return _numbers(heads)

    return Story(says, draw, 0.4 + _ROW * len(heads))


def _row(page: Sheet, head: Head, y: float) -> None:
    width = len(head.partner)
    page.write(MARGIN, y + 0.2, head.name.said_in(page.lang), colour=style.INK, va="baseline")
    step = min(0.62, (page.width - 2 * MARGIN) / width)
    panel = page.panel(MARGIN, y + 0.25, step * width, 1.05, head.name.en)
    panel.set_xlim(-0.5, width - 0.5)
    panel.set_ylim(0, 1.05 / step)
    panel.axis("off")
    for place in range(width):
        _box(panel, head, place)
        if head.partner[place] > place:
            _arc(panel, place, head.partner[place], 1.05 / step - 0.95)


def _box(panel: Axes, head: Head, place: int) -> None:
    from matplotlib.patches import Rectangle

    hand, wrong = head.hand[place], place in head.lost
    panel.add_patch(Rectangle(
        (place - 0.42, 0.06), 0.84, 0.72,
        facecolor=style.RULE if hand == LEFT else _COLOURS[hand % len(_COLOURS)],
        edgecolor=ACCENT if wrong else "none", linewidth=2.4, clip_on=False,
    ))  # fmt: skip
    said = place if head.stored is None else head.stored[place]
    panel.text(
        place, 0.42, str(said), ha="center", va="center", fontsize=style.SMALL_SIZE,
        color=style.INK if hand == LEFT else "white",
    )  # fmt: skip


def _arc(panel: Axes, first: int, second: int, room: float) -> None:
    turn = np.linspace(0, np.pi, 40)
    middle, reach = (first + second) / 2, (second - first) / 2
    height = min(room, 0.25 + 0.22 * reach)
    panel.plot(
        middle - reach * np.cos(turn), 0.84 + height * np.sin(turn), color=style.INK, linewidth=1.0, alpha=0.8
    )


def _numbers(heads: Sequence[Head]) -> tuple[Labelled, ...]:
    widest = max(len(head.partner) for head in heads)

    def padded(rows: list[Sequence[int]]) -> np.ndarray:
        return np.array([[*row, *[LEFT] * (widest - len(row))] for row in rows], np.int64)

    axes = (Axis(Text("way", "方式"), np.array([head.name.en for head in heads])), dimension_axis(widest))
    partner, hand = padded([head.partner for head in heads]), padded([head.hand for head in heads])
    return (
        Labelled("partner", Text("turned with", "一起转动的维度"), partner, axes),
        Labelled("hand", Text("hand", "指针"), hand, axes),
    )
