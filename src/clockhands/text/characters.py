"""Tokens that are whole characters, and tokens that are the bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from clockhands.text.graphemes import graphemes
from clockhands.text.labels import SIGNS, label_of
from clockhands.text.tokens import Token


def characters(text: str, *, spaces: bool) -> list[Token]:
    """One token a whole character.

    spaces  True: a run of spaces and line ends is one token ``" "``, none at either end of the text;
            False: spaces are left out, as suits Chinese

    >>> [token.key for token in characters("to be", spaces=True)]
    ['t', 'o', ' ', 'b', 'e']
    """
    tokens: list[Token] = []
    end = 0
    for is_space, run in groupby(graphemes(text), key=str.isspace):
        if is_space:
            start, end = end, end + sum(map(len, run))
            if spaces and start > 0 and end < len(text):
                tokens.append(Token(" ", start, end))
        else:
            for unit in run:
                start, end = end, end + len(unit)
                tokens.append(Token(unit, start, end))
    return tokens


def utf8_bytes(text: str) -> list[Token]:
    """One token a byte of UTF-8, spaces included; each knows the character that it is a part of.

    >>> [(token.key, token.label, token.start) for token in utf8_bytes("a水")][1]
    ('<0xE6>', '水⟨1/3⟩', 1)
    """
    tokens: list[Token] = []
    for index, character in enumerate(text):
        # surrogatepass: a lone surrogate, which no file can hold but a Python string can, is bytes too
        parts = character.encode("utf-8", "surrogatepass")
        label = label_of(character) if character in SIGNS or not character.isprintable() else character
        for part, byte in enumerate(parts, 1):
            name = label if len(parts) == 1 else f"{label}⟨{part}/{len(parts)}⟩"
            tokens.append(Token(f"<0x{byte:02X}>", index, index + 1, shown=name))
    return tokens


def whole_characters(keys: Sequence[str]) -> str:
    """The text that byte tokens spell; bytes that spell no character become ``�``.

    >>> whole_characters(["<0xE6>", "<0xB0>", "<0xB4>"])
    '水'
    """
    return bytes(int(key[3:-1], 16) for key in keys).decode("utf-8", "replace")
