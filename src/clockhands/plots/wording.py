"""Text on a picture: joined, wrapped to a width in either script, cut when too long."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots.fonts import fonts_for
from clockhands.text.labels import label_of

_NOT_FIRST = frozenset("，。；：！？、）」』》”’…,.;:!?)]}%")
_NOT_LAST = frozenset("（「『《“‘([{")


def with_unit(name: Text, unit: Text, lang: Language) -> str:
    """``wavelength (tokens)``, ``波长（词元）``; what is called as its unit is, once."""
    said, of = name.said_in(lang), unit.said_in(lang)
    if not of or not said or of == said:
        return said or of
    return f"{said}（{of}）" if lang == "zh" else f"{said} ({of})"


def axis_words(of: Axis | Labelled, lang: Language) -> str:
    """What is written beside an axis or a colour bar."""
    return with_unit(of.name, of.unit, lang)


def wrapped(text: str, width: float, width_of: Callable[[str], float]) -> list[str]:
    """Lines no wider than ``width`` as ``width_of`` measures it.

    Latin breaks at spaces, Chinese between any two characters, except that no line starts with a
    closing mark or ends with an opening one. A single word wider than the width is cut.
    """
    pieces = [part for piece in _pieces(text) for part in _narrow(piece, width, width_of)]
    lines: list[str] = []
    start = 0
    while start < len(pieces):
        end = start + max(1, _fitting(pieces[start:], width, width_of))
        lines.append("".join(pieces[start:end]).strip())
        start = end
    return [line for line in lines if line]


def _fitting(pieces: Sequence[str], width: float, width_of: Callable[[str], float]) -> int:
    """How many of the pieces fit on one line. The more, the wider: the last that fits is found by halving."""
    return bisect_right(
        range(1, len(pieces) + 1), width, key=lambda count: width_of("".join(pieces[:count]).strip())
    )


def _narrow(piece: str, width: float, width_of: Callable[[str], float]) -> list[str]:
    """The piece, cut between characters if it is wider than a line."""
    cut: list[str] = []
    while len(piece) > 1 and width_of(piece.strip()) > width:
        fits = max(1, _fitting(piece, width, width_of))
        cut.append(piece[:fits])
        piece = piece[fits:]
    return [*cut, piece]


def _pieces(text: str) -> list[str]:
    """The text cut wherever a line may break; joined again they are the text."""
    pieces: list[str] = []
    for character in text:
        before = pieces[-1][-1] if pieces else ""
        may_break = bool(before) and (
            (before == " " and character != " ")
            or ((_is_wide(before) or _is_wide(character)) and before != " ")
        )
        if may_break and character not in _NOT_FIRST and character != " " and before not in _NOT_LAST:
            pieces.append(character)
        elif pieces:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in {"W", "F"}


def display_width(text: str) -> int:
    """Columns a text takes in a terminal: Han characters count two."""
    return sum(2 if _is_wide(character) else 1 for character in text)


def shortened(label: str, most: int = 12) -> str:
    """A label of at most ``most`` columns, cut with an ellipsis.

    >>> shortened("antidisestablishmentarianism")
    'antidisesta…'
    """
    if display_width(label[: most + 1]) <= most:
        return label
    kept = ""
    for character in label:
        if display_width(kept + character) > most - 1:
            break
        kept += character
    return kept + "…"


def labels(tokens: Sequence[object], lang: Language, most: int = 12) -> list[str]:
    """What is written for each token: short, nothing invisible in it, nothing without a glyph."""
    visible = [shortened(label_of(str(token)) or "∅", most) for token in tokens]
    stack = fonts_for(*visible, lang=lang)
    return [shortened(stack.drawable(label), most) for label in visible]
