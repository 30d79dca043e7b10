"""Long lists of a GGUF file that its header's scan walks over: the words of a vocabulary, their merges.

``gguf_header.read_header`` has held every length against the bytes that are there; a file that it accepted is
walked here once more, and only the lists that are asked for are kept.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

from clockhands.check.read.gguf_header import ARRAY, SCALARS, STRING, read_header
from clockhands.check.read.opening import opened


def arrays_of(path: str | Path, keys: Collection[str]) -> dict[str, tuple[Any, ...]]:
    """Lists by key, those of ``keys`` that the file has: numbers, or ``str`` with bad bytes replaced.

    Raises ClockhandsError where the file is no sound GGUF file.
    """
    order = read_header(path).byte_order
    with opened(path) as (file, _), mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _found(data, order, keys)


def _found(data: mmap.mmap, order: str, keys: Collection[str]) -> dict[str, tuple[Any, ...]]:
    length, number = struct.Struct(f"{order}Q"), struct.Struct(f"{order}I")
    at, found = 24, {}
    (count,) = length.unpack_from(data, 16)
    for _ in range(count):
        (size,) = length.unpack_from(data, at)
        key = data[at + 8 : at + 8 + size].decode("utf-8", "replace")
        at += 8 + size
        (kind,) = number.unpack_from(data, at)
        at += 4
        if kind in SCALARS:
            at += struct.calcsize(order + SCALARS[kind])
        elif kind == STRING:
            at += 8 + length.unpack_from(data, at)[0]
        elif kind == ARRAY:
            (inner,), (many,) = number.unpack_from(data, at), length.unpack_from(data, at + 4)
            at += 12
            wanted = key in keys
            if inner == STRING:
                words = []
                for _ in range(many):
                    (size,) = length.unpack_from(data, at)
                    if wanted:
                        words.append(data[at + 8 : at + 8 + size].decode("utf-8", "replace"))
                    at += 8 + size
                values: tuple[Any, ...] = tuple(words)
            else:
                form = f"{order}{many}{SCALARS[inner]}"
                values = struct.unpack_from(form, data, at) if wanted else ()
                at += struct.calcsize(form)
            if wanted:
                found[key] = values
    return found
