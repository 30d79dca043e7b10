"""GGUF files of a few hundred bytes, built by hand: honest ones, and ones that lie."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.subject import Subject

U32, I32, F32, BOOL, TEXT, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10
CODES = {0: "B", 1: "b", 2: "H", 3: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", 11: "q", 12: "d"}


def text(value: str | bytes, order: str = "<") -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(order + "Q", len(raw)) + raw


def value(given: Any, order: str = "<") -> bytes:
    """A typed value; a bare Python one gets the type that conversion scripts give it."""
    if isinstance(given, bytes):  # as it is
        return given
    if isinstance(given, bool):
        return struct.pack(order + "I?", BOOL, given)
    if isinstance(given, int):
        return struct.pack(order + "II", U32, given)
    if isinstance(given, float):
        return struct.pack(order + "If", F32, given)
    if isinstance(given, str):
        return struct.pack(order + "I", TEXT) + text(given, order)
    inner = TEXT if isinstance(given[0], str) else BOOL if isinstance(given[0], bool) else I32
    inner = F32 if isinstance(given[0], float) else inner
    body = b"".join(
        text(each, order) if inner == TEXT else struct.pack(order + CODES[inner], each) for each in given
    )
    return struct.pack(order + "IIQ", ARRAY, inner, len(given)) + body


def gguf(
    values: Mapping[str, Any],
    tensors: Mapping[str, np.ndarray] | None = None,
    *,
    version: int = 3,
    order: str = "<",
    alignment: int = 32,
    tensor_count: int | None = None,
    value_count: int | None = None,
    info: Mapping[str, tuple[tuple[int, ...], int, int]] | None = None,
    data: bytes | None = None,
) -> bytes:
    """The bytes of a file. ``info`` ((sizes, type, offset) by name) replaces what ``tensors`` would say."""
    arrays = {name: np.asarray(each, dtype=np.float32) for name, each in (tensors or {}).items()}
    if info is None:
        info, offset = {}, 0
        for name, each in arrays.items():
            info[name] = (tuple(reversed(each.shape)), 0, offset)
            offset += -(-each.nbytes // alignment) * alignment
    out = b"GGUF" + struct.pack(order + "I", version)
    out += struct.pack(order + "Q", len(info) if tensor_count is None else tensor_count)
    out += struct.pack(order + "Q", len(values) if value_count is None else value_count)
    for key, given in values.items():
        out += text(key, order) + value(given, order)
    for name, (sizes, kind, offset) in info.items():
        out += text(name, order) + struct.pack(f"{order}I{len(sizes)}Q", len(sizes), *sizes)
        out += struct.pack(order + "IQ", kind, offset)
    out += b"\0" * (-len(out) % alignment)
    if data is not None:
        return out + data
    for each in arrays.values():
        raw = each.astype(order + "f4").tobytes()
        out += raw + b"\0" * (-len(raw) % alignment)
    return out


LLAMA: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "llama.context_length": 8192,
    "llama.embedding_length": 192,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": 2,
    "llama.rope.freq_base": 500000.0,
    "llama.rope.dimension_count": 24,
}
"""A head of 24, which no formula makes by accident."""


def only(subject: Subject) -> LayerForm:
    (form,) = subject.declared
    return form


def codes(subject: Subject) -> list[tuple[str, str]]:
    return [(each.code, each.severity) for each in subject.found]
