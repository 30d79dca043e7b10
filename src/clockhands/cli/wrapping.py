"""Lines that fit a terminal, counted in columns: a Chinese character takes two."""

from __future__ import annotations

import unicodedata

_NO_LINE_STARTS_WITH = "，。：；、！？）》”’…"


def columns(text: str) -> int:
    """How many terminal columns ``text`` takes.

    >>> columns("RoPE"), columns("位置")
    (4, 4)
    """
    return sum(_columns_of(character) for character in text)


def wrap(text: str, width: int) -> list[str]:
    """Break ``text`` into lines of at most ``width`` columns, at spaces or beside Chinese characters.

    A word wider than a line stays whole, and closing Chinese punctuation never starts a line.

    >>> wrap("clock hands turn", 11)
    ['clock hands', 'turn']
    """
    lines, line = [], ""
    for piece in _pieces(text):
        if line and columns(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() else lines


def padded(text: str, width: int) -> str:
    """``text`` followed by spaces up to ``width`` columns."""
    return text + " " * (width - columns(text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(text: str) -> list[str]:
    """The smallest parts between which a line may break; each keeps the space that follows it."""
    pieces: list[str] = []
    for character in text:
        if not pieces or not _stays_with(pieces[-1][-1], character):
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces


def _stays_with(before: str, character: str) -> bool:
    if character in _NO_LINE_STARTS_WITH or character == " ":
        return True
    if before == " ":
        return False
    return _columns_of(before) == 1 and _columns_of(character) == 1
