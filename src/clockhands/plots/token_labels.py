"""Token labels along the sides of a map: never on top of each other, whatever the tokens are.

Labels are cut to a few characters, Chinese ones stand upright above their column, Latin ones are
turned; where even so there is no room, every n-th is written. Only what is written changes:
cells are found by index, so tokens that repeat or look alike keep their own rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clockhands.plots import style
from clockhands.plots.fonts import is_chinese
from clockhands.plots.sheet import Sheet
from clockhands.plots.wording import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PITCH = 0.155
"""Inches a label needs across its reading direction, at the small text size."""
_CHARACTER = 0.132  # height of one upright character, inches


@dataclass(frozen=True)
class TokenLabels:
    """Labels for the tokens of one side. ``every`` is the step at which they are written."""

    words: tuple[str, ...]
    every: int
    longest: float
    """Inches the longest one takes away from the map."""

    @property
    def places(self) -> range:
        return range(0, len(self.words), self.every)


def beside(page: Sheet, tokens: Sequence[str], length: float) -> TokenLabels:
    """Labels for rows along ``length`` inches."""
    words = tuple(labels(tokens, page.lang))
    every = _step(len(words), length)
    written = words[::every]
    return TokenLabels(words, every, max(page.width_of(word, style.SMALL_SIZE) for word in written))


def above(page: Sheet, tokens: Sequence[str], length: float) -> TokenLabels:
    """Labels for columns along ``length`` inches: Chinese upright, one character under the other."""
    words = tuple(_upright(word) for word in labels(tokens, page.lang))
    every = _step(len(words), length)
    heights = [
        _CHARACTER * (word.count("\n") + 1) if _stands(word) else page.width_of(word, style.SMALL_SIZE)
        for word in words[::every]
    ]
    return TokenLabels(words, every, max(heights))


def put_beside(panel: Axes, labels: TokenLabels) -> None:
    """Labels left of the rows."""
    panel.set_yticks(list(labels.places), [labels.words[place] for place in labels.places])
    panel.tick_params(axis="y", length=0, pad=3)


def put_above(panel: Axes, labels: TokenLabels) -> None:
    """Labels above the columns, upright where the script allows it, else turned."""
    panel.set_xticks(list(labels.places), [labels.words[place] for place in labels.places])
    panel.tick_params(axis="x", length=0, pad=3, top=False, labeltop=True, labelbottom=False)
    for label in panel.get_xticklabels():
        if not _stands(label.get_text()):
            label.set_rotation(90)
        label.set_verticalalignment("bottom")
        label.set_linespacing(0.95)


def _step(count: int, length: float) -> int:
    return max(1, -(-int(PITCH * count * 1000) // int(length * 1000)))


def _stands(word: str) -> bool:
    return "\n" in word or len(word) == 1


def _upright(word: str) -> str:
    """Chinese written from top to bottom, six characters at most; anything else as it is."""
    if not all(is_chinese(character) or character == "…" for character in word):
        return word
    if len(word) > 6:
        word = word[:5] + "…"
    return "\n".join("︙" if character == "…" else character for character in word)
