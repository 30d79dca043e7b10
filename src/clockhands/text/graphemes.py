"""Whole characters as a reader sees them: a letter with its accents, an emoji with its parts, a flag.

The common rules of Unicode Standard Annex 29 (grapheme clusters), from the categories in the standard
library; rare scripts whose clusters need further tables are cut as Unicode's legacy clusters are.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_MARKS = ("Mn", "Mc", "Me")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_TAGS = range(0xE0020, 0xE0080)
_LEADING_JAMO = (range(0x1100, 0x1160), range(0xA960, 0xA980))
_VOWEL_JAMO = (range(0x1160, 0x11A8), range(0xD7B0, 0xD7CB))
_TRAILING_JAMO = (range(0x11A8, 0x1200), range(0xD7CB, 0xD800))
_SYLLABLES = range(0xAC00, 0xD7A4)
_HANGUL = (range(0x1100, 0x1200), range(0xA960, 0xA980), range(0xAC00, 0xD800))


def graphemes(text: str) -> list[str]:
    """``text`` cut into whole characters; joined again they are the text.

    >>> [len(unit) for unit in graphemes("e\\u0301a👩\\u200d🚀")]
    [2, 1, 3]
    """
    if text.isascii() and "\r" not in text:
        return list(text)
    clusters: list[str] = []
    flag_open = False
    for character in text:
        previous = clusters[-1] if clusters else ""
        flag = ord(character) in _FLAG_LETTERS
        if previous and (_continues(previous, character) or (flag and flag_open)):
            clusters[-1] = previous + character
            flag_open = False
        else:
            clusters.append(character)
            flag_open = flag
    return clusters


def _continues(cluster: str, character: str) -> bool:
    """Whether ``character`` belongs to the cluster before it."""
    last, code = cluster[-1], ord(character)
    if last in "\r\n" or character in "\r\n":
        return last == "\r" and character == "\n"
    if code < 0x300:
        return False
    if unicodedata.category(last) in ("Cc", "Zl", "Zp"):
        return False
    if character == _JOINER or code in _SKIN_TONES or code in _TAGS:
        return True
    if unicodedata.category(character) in _MARKS:
        return True
    if last == _JOINER:
        return unicodedata.category(character) == "So" and unicodedata.category(cluster[0]) == "So"
    return _in(_HANGUL, code) and _same_syllable(ord(last), code)


def _same_syllable(last: int, code: int) -> bool:
    """Hangul written in parts."""
    vowel, trailing = _in(_VOWEL_JAMO, code), _in(_TRAILING_JAMO, code)
    if _in(_LEADING_JAMO, last):
        return vowel or _in(_LEADING_JAMO, code) or code in _SYLLABLES
    open_syllable = last in _SYLLABLES and (last - _SYLLABLES.start) % 28 == 0
    if _in(_VOWEL_JAMO, last) or open_syllable:
        return vowel or trailing
    return trailing and (last in _SYLLABLES or _in(_TRAILING_JAMO, last))


def _in(blocks: tuple[range, ...], code: int) -> bool:
    return any(code in block for block in blocks)
