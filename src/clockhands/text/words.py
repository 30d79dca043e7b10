"""Words of languages that write spaces, by one simple rule over whole characters."""

from __future__ import annotations

import unicodedata

from clockhands.text.graphemes import graphemes
from clockhands.text.tokens import Token

_JOINS = ("'", "’", "-", "‐", "‑")
_UNSPACED = ("CJK ", "HIRAGANA", "KATAKANA")


def words(text: str) -> list[Token]:
    """Runs of letters and digits, with apostrophes and hyphens inside them; all else one character each.

    Characters of scripts without spaces (Han, kana) stand alone, spaces are left out.

    >>> [token.key for token in words("Don't stop: 3 well-known naïve words!")]
    ["Don't", 'stop', ':', '3', 'well-known', 'naïve', 'words', '!']
    """
    units = graphemes(text)
    tokens: list[Token] = []
    start = 0
    begun = ""  # the word being read
    for index, unit in enumerate(units):
        follows = units[index + 1] if index + 1 < len(units) else ""
        if _in_word(unit) or (begun and unit in _JOINS and _in_word(follows)):
            begun += unit
        else:
            if begun:
                tokens.append(Token(begun, start - len(begun), start))
                begun = ""
            if not unit.isspace():
                tokens.append(Token(unit, start, start + len(unit)))
        start += len(unit)
    if begun:
        tokens.append(Token(begun, start - len(begun), start))
    return tokens


def is_han(character: str) -> bool:
    """Whether it is a Chinese character of any block."""
    return unicodedata.name(character, "").startswith("CJK UNIFIED")


def _in_word(unit: str) -> bool:
    return unit[:1].isalnum() and not unicodedata.name(unit[0], "").startswith(_UNSPACED)
