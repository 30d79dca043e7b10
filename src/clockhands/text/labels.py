"""What pictures write for a token: short, on one line, and with nothing invisible in it."""

from __future__ import annotations

import unicodedata

from clockhands.text.graphemes import graphemes

LONGEST = 24
"""Longer labels keep their two ends; the token itself stays whole."""

SIGNS = {" ": "␣", "\n": "⏎", "\r": "⏎", "\r\n": "⏎", "\t": "⇥", "\u3000": "␣"}
_INVISIBLE = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs")
_ZERO_WIDTH_JOINER = "\u200d"


def label_of(key: str) -> str:
    """A label for ``key``: spaces as ``␣``, other invisible characters by their number, long ones shortened.

    >>> label_of("\\n"), label_of("\\u202e"), label_of("a" * 100)
    ('⏎', 'U+202E', 'aaaaaaaaaaaa…aaaaaaaaaaa')
    """
    if key.isprintable() and key.isalnum() and len(key) <= LONGEST:
        return key
    units = [_visible(unit[:LONGEST]) for unit in graphemes(key)]
    if len(units) > LONGEST:
        units = [*units[: LONGEST // 2], "…", *units[-(LONGEST // 2 - 1) :]]
    return "".join(units)


def _visible(unit: str) -> str:
    if unit in SIGNS:
        return SIGNS[unit]
    if len(unit) > 1 and _ZERO_WIDTH_JOINER in unit:
        return unit  # the joiner of 👩‍🚀 is part of its shape
    return "".join(
        f"U+{ord(character):04X}" if unicodedata.category(character) in _INVISIBLE else character
        for character in unit
    )
