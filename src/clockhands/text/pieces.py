"""Pieces of a tokenizer as a reader knows them: which text they spell, and where each stands in it.

Byte-level BPE (GPT-2) writes every byte of UTF-8 as a printable character, SentencePiece writes spaces as
``▁`` and rare characters as bytes ``<0xE6>``, WordPiece marks what goes on within a word by ``##``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clockhands.text.labels import label_of

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPACE = "▁"
_GOES_ON = "##"
_SHIFTED = 0x100
"""Byte-level BPE: printable bytes of Latin-1 stand for themselves, the others for U+0100 and what follows."""

_PRINTABLE = (range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x100))
_OTHERS = [byte for byte in range(256) if not any(byte in printable for printable in _PRINTABLE)]
_BYTE_OF = {chr(byte): byte for printable in _PRINTABLE for byte in printable} | {
    chr(_SHIFTED + place): byte for place, byte in enumerate(_OTHERS)
}


@dataclass(frozen=True)
class Spelled:
    """What pieces spell.

    text    all of it
    labels  one a piece: what it covers, or ``水⟨1/3⟩`` for the first of three pieces of a character;
            WordPiece keeps its own, which can be read
    spans   ``(start, end)`` of each in the text; pieces of one character have the same
    """

    text: str
    labels: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


def spelled(pieces: Sequence[str], special: Sequence[bool] = ()) -> Spelled | None:
    """What ``pieces`` spell; None where they are of no kind that is known, or their bytes are no text.

    special  of each, whether it is a sign such as ``<s>``, which spells nothing

    >>> spelled(["<0xE6>", "<0xB0>", "<0xB4>", "▁hot"]).labels
    ('水⟨1/3⟩', '水⟨2/3⟩', '水⟨3/3⟩', '␣hot')
    >>> spelled(["è¿", "Ļ", "æĺ¯"]).text
    '这是'
    """
    signs = list(special) or [False] * len(pieces)
    plain = [piece for piece, sign in zip(pieces, signs, strict=True) if not sign]
    bytes_of = _kind(plain)
    if bytes_of is None:
        return None
    parts = [b"" if sign else bytes_of(piece) for piece, sign in zip(pieces, signs, strict=True)]
    try:
        text = b"".join(parts).decode("utf-8")
    except UnicodeDecodeError:
        return None
    found = _placed(pieces, parts, text)
    return replace(found, labels=tuple(pieces)) if bytes_of is _of_word_piece else found


def _kind(pieces: Sequence[str]) -> Callable[[str], bytes] | None:
    """How these pieces are read as bytes."""
    if any(piece.startswith(_SPACE) or _BYTE.fullmatch(piece) for piece in pieces):
        return _of_sentence_piece
    if any(ord(sign) >= _SHIFTED for piece in pieces for sign in piece) and all(
        sign in _BYTE_OF for piece in pieces for sign in piece
    ):
        return lambda piece: bytes(_BYTE_OF[sign] for sign in piece)
    if any(piece.startswith(_GOES_ON) and len(piece) > len(_GOES_ON) for piece in pieces):
        return _of_word_piece
    return None


def _of_word_piece(piece: str) -> bytes:
    return (piece.removeprefix(_GOES_ON) if piece.startswith(_GOES_ON) else f" {piece}").encode(
        "utf-8", "replace"
    )


def _of_sentence_piece(piece: str) -> bytes:
    byte = _BYTE.fullmatch(piece)
    return bytes([int(byte[1], 16)]) if byte else piece.replace(_SPACE, " ").encode("utf-8", "replace")


def _placed(pieces: Sequence[str], parts: Sequence[bytes], text: str) -> Spelled:
    starts = [0]  # of each character, in bytes
    for character in text:
        starts.append(starts[-1] + len(character.encode()))
    character_at = [place for place, size in enumerate(map(_size, text)) for _ in range(size)]
    holders: dict[int, list[int]] = {}  # characters that are cut, and the pieces that hold a part
    spans: list[tuple[int, int]] = []
    end = 0
    for number, part in enumerate(parts):
        start, end = end, end + len(part)
        if not part:
            spans.append((0, 0))
            continue
        first, last = character_at[start], character_at[end - 1]
        spans.append((first, last + 1))
        for place, cut in ((first, start > starts[first]), (last, end < starts[last + 1])):
            if cut and number not in holders.setdefault(place, []):
                holders[place].append(number)
    labels = [
        label_of(text[first:last]) if last > first else piece
        for piece, (first, last) in zip(pieces, spans, strict=True)
    ]
    for place, numbers in holders.items():
        for part, number in enumerate(numbers, 1):
            if spans[number] == (place, place + 1):
                labels[number] = f"{label_of(text[place])}⟨{part}/{len(numbers)}⟩"
    return Spelled(text, tuple(labels), tuple(spans))


def _size(character: str) -> int:
    return len(character.encode())
