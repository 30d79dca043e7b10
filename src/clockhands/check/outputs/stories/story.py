"""What a picture of a rule is: one sentence with its number, and how the rest of the page is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.plots import style

if TYPE_CHECKING:
    from clockhands.plots.sheet import Sheet

RIGHT, WRONG = style.CATEGORIES[0], style.CATEGORIES[1]
"""Colours of what is as it should be, and of what isn't: blue and vermilion, told apart by everybody."""

MEANT, USED = Text("as meant", "应有的"), Text("as it comes out", "实际的")


@dataclass(frozen=True)
class Story:
    """The picture of one rule.

    says  the sentence under the title
    draw  draws the body of a page and returns the numbers that it shows
    body  height of the body, inches
    """

    says: Text
    draw: Callable[[Sheet], tuple[Labelled, ...]]
    body: float = 4.2


def legend(page: Sheet, entries: list[tuple[str, str, Text]], y: float = 0.16) -> None:
    """Sign, colour and name of each thing, from the left, broken into a second line where it must be."""
    from clockhands.plots.sheet import MARGIN

    x = MARGIN
    for sign, colour, name in entries:
        words = f"{sign} {name.said_in(page.lang)}"
        wide = page.width_of(words)
        if x + wide > page.width - MARGIN and x > MARGIN:
            x, y = MARGIN, y + 0.22
        page.write(x, y, words, colour=style.legible(colour), va="baseline")
        x += wide + 0.35
