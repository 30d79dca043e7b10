"""What was asked, what should be answered, and what is: numbers in boxes, the wrong ones marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.check.outputs.stories.story import RIGHT, WRONG, Story, legend
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral
from clockhands.plots.sheet import MARGIN, Sheet

_ROW, _BOX, _TALL = 0.72, 0.82, 0.4
_SHOULD = Text("should be", "应为")


@dataclass(frozen=True)
class Call:
    """One question: ``asked`` in words, and the numbers that should come and do, ``(n,)`` each."""

    asked: Text
    should: Sequence[float]
    answered: Sequence[float]


def calls(says: Text, asked: Sequence[Call], *, of: Text) -> Story:
    """One row a question, in the order in which they are asked; ``of``: what the numbers are."""

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        legend(page, [
            ("→", style.INK, of),
            ("■", RIGHT, Text("as it should be", "正确")),
            ("■", WRONG, Text("wrong", "错误")),
        ])  # fmt: skip
        lines = [page.wrap(call.asked.said_in(page.lang), 3.6) for call in asked]
        left = MARGIN + min(max(page.width_of(line) for each in lines for line in each), 3.7) + 0.2
        for place, call in enumerate(asked):
            y = 0.4 + _ROW * place
            for row, line in enumerate(lines[place]):
                middle = y + _TALL / 2 + 0.19 * (row - (len(lines[place]) - 1) / 2)
                page.write(MARGIN, middle, line, colour=style.INK, va="center")
            page.write(left, y + _TALL / 2, "→", va="center", colour=style.INK)
            _row(page, call, left + 0.3, y)
        return _numbers(asked)

    return Story(says, draw, 0.5 + _ROW * len(asked))


def same(first: float, second: float) -> bool:
    """Whether a person would call the two the same answer."""
    return first == second or bool(np.isclose(first, second, rtol=1e-6, atol=1e-9, equal_nan=True))


def _row(page: Sheet, call: Call, x: float, y: float) -> None:
    from matplotlib.patches import Rectangle

    count = len(call.answered)
    panel = page.panel(x, y, _BOX * count, _TALL, call.asked.en)
    panel.set_xlim(0, count)
    panel.set_ylim(0, 1)
    panel.axis("off")
    for place, (right, given) in enumerate(zip(call.should, call.answered, strict=True)):
        colour = RIGHT if same(right, given) else WRONG
        panel.add_patch(Rectangle((place + 0.04, 0), 0.92, 1, facecolor=colour))
        panel.text(place + 0.5, 0.46, numeral(given), ha="center", va="center", color="white")
    if not all(map(same, call.should, call.answered)):
        words = f"{_SHOULD.said_in(page.lang)} {'  '.join(numeral(each) for each in call.should)}"
        page.write(x + _BOX * count + 0.2, y + _TALL / 2, words, va="center", size=style.SMALL_SIZE)


def _numbers(asked: Sequence[Call]) -> tuple[Labelled, ...]:
    widest = max(len(call.answered) for call in asked)
    axes = (
        Axis(Text("question", "提问"), np.array([call.asked.en for call in asked])),
        Axis(Text("number", "第几个数"), np.arange(widest)),
    )

    def padded(rows: list[Sequence[float]]) -> np.ndarray:
        return np.array([[*row, *[np.nan] * (widest - len(row))] for row in rows], np.float64)

    return (
        Labelled("should", _SHOULD, padded([call.should for call in asked]), axes),
        Labelled("answered", Text("answered", "实际回答"), padded([call.answered for call in asked]), axes),
    )
