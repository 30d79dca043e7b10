"""What a font file holds, read from its tables alone: faces, family, and which characters have a glyph.

Only a few kilobytes of a font are read (table directory, ``name``, and the ``cmap`` segments that
matter), so a question costs about a millisecond however large the font is. Layout of the tables:
the OpenType specification, chapters "otff", "cmap" and "name".
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

FONT_SUFFIXES = frozenset({".ttf", ".otf", ".ttc", ".otc"})
_OUTLINES = frozenset({"glyf", "CFF ", "CFF2"})
_BITMAPS = frozenset({"CBDT", "sbix", "EBDT"})
_MOST_FACES = 64  # a damaged header must not send us through millions of faces


@dataclass(frozen=True)
class Face:
    """One face of a font file; ``index`` counts the faces of a collection (``.ttc``)."""

    path: Path
    index: int = 0
    family: str = ""
    drawable: bool = True
    """Has outlines: colour-bitmap fonts can be scaled by neither matplotlib nor Pillow."""


def faces(path: Path) -> tuple[Face, ...]:
    """The faces of the file, none if it cannot be read as a font."""
    try:
        with path.open("rb") as file:
            return tuple(_face(file, path, index, at) for index, at in enumerate(_offsets(file)))
    except (OSError, struct.error, ValueError):
        return ()


def covered(face: Face, characters: Iterable[str]) -> frozenset[str]:
    """Those of ``characters`` that have a glyph in the face; none if it cannot be read."""
    try:
        with face.path.open("rb") as file:
            tables = _tables(file, _offsets(file)[face.index])
            return _covered(file, tables["cmap"][0], characters)
    except (OSError, struct.error, ValueError, KeyError, IndexError):
        return frozenset()


def _read(file: BinaryIO, at: int, layout: str) -> tuple[int, ...]:
    file.seek(at)
    return struct.unpack(layout, file.read(struct.calcsize(layout)))


def _offsets(file: BinaryIO) -> tuple[int, ...]:
    """Where the table directory of each face starts."""
    tag, _, number = _read(file, 0, ">4sII")
    if tag != b"ttcf":
        return (0,)
    return _read(file, 12, f">{min(number, _MOST_FACES)}I")


def _tables(file: BinaryIO, at: int) -> dict[str, tuple[int, int]]:
    """Table name → (offset, length)."""
    (number,) = _read(file, at + 4, ">H")
    file.seek(at + 12)
    records = struct.iter_unpack(">4sIII", file.read(16 * number))
    return {tag.decode("latin-1"): (offset, length) for tag, _, offset, length in records}


def _face(file: BinaryIO, path: Path, index: int, at: int) -> Face:
    tables = _tables(file, at)
    outlines = bool(_OUTLINES & tables.keys()) and not _BITMAPS & tables.keys()
    family = _family(file, *tables["name"]) if "name" in tables else ""
    return Face(path, index, family, outlines and "cmap" in tables)


def _family(file: BinaryIO, at: int, length: int) -> str:
    """The English family name (name id 1, Windows platform), empty if there is none."""
    file.seek(at)
    table = file.read(length)
    _, count, strings = struct.unpack_from(">HHH", table)
    for i in range(count):
        platform, _, language, name_id, size, offset = struct.unpack_from(">6H", table, 6 + 12 * i)
        if (platform, language, name_id) == (3, 0x409, 1):
            return table[strings + offset : strings + offset + size].decode("utf-16-be", "replace")
    return ""


def _covered(file: BinaryIO, cmap: int, characters: Iterable[str]) -> frozenset[str]:
    """Look the characters up in the face's Unicode subtable: format 12 (all planes), else format 4."""
    _, number = _read(file, cmap, ">HH")
    by_format: dict[int, int] = {}
    for i in range(number):
        platform, encoding, offset = _read(file, cmap + 4 + 8 * i, ">HHI")
        if platform == 0 or (platform == 3 and encoding in (1, 10)):
            by_format[_read(file, cmap + offset, ">H")[0]] = cmap + offset
    if 12 in by_format:
        return _covered_by_groups(file, by_format[12], characters)
    if 4 in by_format:
        return _covered_by_segments(file, by_format[4], characters)
    return frozenset()


def _covered_by_groups(file: BinaryIO, at: int, characters: Iterable[str]) -> frozenset[str]:
    (number,) = _read(file, at + 12, ">I")
    file.seek(at + 16)
    groups = list(struct.iter_unpack(">III", file.read(12 * number)))
    ends = [end for _, end, _ in groups]
    found: set[str] = set()
    for character in characters:
        code = ord(character)
        i = bisect_left(ends, code)
        if i < len(groups) and groups[i][0] <= code and groups[i][2] + code - groups[i][0] != 0:
            found.add(character)
    return frozenset(found)


def _covered_by_segments(file: BinaryIO, at: int, characters: Iterable[str]) -> frozenset[str]:
    _, length, _, doubled = _read(file, at, ">4H")
    count = doubled // 2
    file.seek(at)
    table = file.read(max(length, 16 + 4 * doubled))
    ends = struct.unpack_from(f">{count}H", table, 14)
    starts = struct.unpack_from(f">{count}H", table, 16 + doubled)
    deltas = struct.unpack_from(f">{count}H", table, 16 + 2 * doubled)
    ranges_at = 16 + 3 * doubled
    ranges = struct.unpack_from(f">{count}H", table, ranges_at)
    found: set[str] = set()
    for character in characters:
        code = ord(character)
        i = bisect_left(ends, code)
        if code > 0xFFFF or i == count or code < starts[i]:
            continue
        glyph = code
        if ranges[i]:
            (glyph,) = struct.unpack_from(">H", table, ranges_at + 2 * i + ranges[i] + 2 * (code - starts[i]))
        if glyph and (glyph + deltas[i]) & 0xFFFF:
            found.add(character)
    return frozenset(found)
