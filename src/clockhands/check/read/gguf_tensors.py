"""Numbers of a tensor of a GGUF file.

Plain types are read here; quantised ones are expanded by the package ``gguf``, which is given bytes and never
the file: its reader believes a header, and this project's own scanner has checked it already.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clockhands.check.read.gguf_header import Header, TensorEntry
from clockhands.check.read.gguf_types import BLOCKS
from clockhands.check.read.opening import opened
from clockhands.errors import MissingExtra
from clockhands.language import Text

PLAIN = {0: "f4", 1: "f2", 24: "i1", 25: "i2", 26: "i4", 27: "i8", 28: "f8"}
BF16 = 30


def vector(path: str | Path, header: Header, name: str, most: int = 2**16) -> np.ndarray | None:
    """A short tensor flat, in float64; None where it is missing, long or of a type that is not plain."""
    entry = header.tensors.get(name)
    if entry is None or entry.size is None or entry.size > 8 * most or entry.kind not in (*PLAIN, BF16):
        return None
    with opened(path) as (file, _):
        file.seek(entry.start)
        return _plain(file.read(entry.size), entry.kind, header.byte_order).astype(np.float64)


def some_rows(path: str | Path, header: Header, entry: TensorEntry, first: int, count: int) -> np.ndarray:
    """Rows ``first`` … of a matrix, ``(count, columns)`` in float32; ``entry.size`` must be known.

    Raises ``MissingExtra`` where the type needs the package gguf and it is not there.
    """
    _, block, size = BLOCKS[entry.kind]
    columns = entry.shape[1]
    row = columns // block * size
    with opened(path) as (file, _):
        file.seek(entry.start + first * row)
        raw = file.read(count * row)
    if entry.kind in (*PLAIN, BF16):
        return _plain(raw, entry.kind, header.byte_order).astype(np.float32).reshape(count, columns)
    return _expanded(raw, entry.kind, count, row).reshape(count, columns)


def can_expand(kind: int, byte_order: str) -> bool:
    """Whether rows of this type can be read: quantised ones only in the byte order that the package takes."""
    return kind in (*PLAIN, BF16) or (kind in BLOCKS and byte_order == "<")


def _plain(raw: bytes, kind: int, byte_order: str) -> np.ndarray:
    if kind != BF16:
        return np.frombuffer(raw, byte_order + PLAIN[kind])
    halves = np.frombuffer(raw, byte_order + "u2").astype(np.uint32)  # the upper half of a float32
    return (halves << 16).view(np.float32)


def _expanded(raw: bytes, kind: int, count: int, row: int) -> np.ndarray:
    try:
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize
    except ImportError:
        feature = Text("Reading quantised weights of a GGUF file", "读取 GGUF 文件中量化的权重")
        raise MissingExtra(feature, "gguf") from None
    blocks = np.frombuffer(raw, np.uint8).reshape(count, row)
    return np.asarray(dequantize(blocks, GGMLQuantizationType(kind)), dtype=np.float32)
