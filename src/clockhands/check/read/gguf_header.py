"""The header of a GGUF file, read without trusting a number in it.

A header says how long its strings are, how many values and tensors follow, and where the tensors lie. Nothing
is allocated, skipped or looped over by such a number before it was held against the bytes that are there, so
a lying header costs one sentence and no memory. Source: the GGUF specification of ggml, versions 2 and 3 (2
differs by nothing that is read here), in both byte orders.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from clockhands.check.read.gguf_types import BLOCKS
from clockhands.check.read.opening import opened
from clockhands.check.saying import number
from clockhands.errors import ClockhandsError, shown, shown_zh

SCALARS: dict[int, str] = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
"""Codes of ``struct`` for types of values; 8 is a string and 9 an array."""
STRING, ARRAY = 8, 9

MOST_KEY_BYTES = 65_535  # what the specification allows
MOST_NAME_BYTES = 4096  # of a tensor; 64 by the specification, more in files that exist
MOST_DIMS = 4  # ggml's own
MOST_STRINGS = 2**21  # in one array; the largest vocabularies and their merges stay below a million
KEPT_VALUES = 2**16  # of an array of numbers: settings by layer, never a vocabulary
KEPT_BYTES = 2**20  # of a string


@dataclass(frozen=True)
class Left:
    """A value that was walked over and not kept, being long or of no use here: a vocabulary, a template."""

    count: int


@dataclass(frozen=True, kw_only=True)
class TensorEntry:
    """Where a tensor lies and what it is.

    shape     rows first, as numpy has it; GGUF writes the other way round
    kind      number of its type; ``type_name`` is its name, empty where the number is unknown
    start     byte of the file where it begins
    size      bytes it takes, None where its type is unknown
    """

    shape: tuple[int, ...]
    kind: int
    start: int
    size: int | None

    @property
    def type_name(self) -> str:
        return BLOCKS[self.kind][0] if self.kind in BLOCKS else ""


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a GGUF file says before its weights begin."""

    version: int
    byte_order: Literal["<", ">"]
    values: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, TensorEntry] = field(default_factory=dict)


def read_header(path: str | Path) -> Header:
    """The header of the file at ``path``; one sentence where it is none, ends early or contradicts itself."""
    with opened(path) as (file, size):
        if size < 24:
            raise _bad(
                path,
                f"it has {number(size)} bytes, and a header alone takes 24",
                f"它只有 {number(size)} 字节，而仅文件头就要 24 字节",
            )
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, _Cursor(data, path) as cursor:
            return _header(cursor)


def parse_header(data: bytes, name: str = "GGUF") -> Header:
    """The same from bytes in memory."""
    if len(data) < 24:
        raise _bad(
            name,
            f"it has {len(data)} bytes, and a header alone takes 24",
            f"它只有 {len(data)} 字节，而仅文件头就要 24 字节",
        )
    with _Cursor(data, name) as cursor:
        return _header(cursor)


def _header(cursor: _Cursor) -> Header:
    if cursor.take(4) != b"GGUF":
        raise _bad(cursor.name, "it doesn't begin with 'GGUF'", "它的开头不是“GGUF”")
    raw = cursor.take(4)
    version = struct.unpack("<I", raw)[0]
    if version & 0xFFFF == 0:  # versions are small: in the other byte order their low half is empty
        cursor.order, version = ">", struct.unpack(">I", raw)[0]
    if version not in (2, 3):
        raise _bad(
            cursor.name,
            f"it is version {version}, and versions 2 and 3 are read: convert the model again",
            f"它的版本是 {version}，而这里读版本 2 和 3：请重新转换模型",
        )
    tensor_count, value_count = cursor.scalar("Q"), cursor.scalar("Q")
    cursor.need(value_count, 13, "key-value pairs", "个键值对")
    cursor.need(tensor_count, 24, "tensors", "个张量")
    values = _values(cursor, value_count)
    alignment = values.get("general.alignment", 32)
    if isinstance(alignment, bool) or not isinstance(alignment, int) or not _power_of_two(alignment):
        raise _bad(
            cursor.name,
            f"general.alignment is {shown(alignment)}, and it must be a power of two, at least 1",
            f"general.alignment 为{shown_zh(alignment)}，但它必须是 2 的幂，且至少为 1",
        )
    tensors = _tensors(cursor, tensor_count, alignment)
    return Header(version=version, byte_order=cursor.order, values=values, tensors=tensors)


def _values(cursor: _Cursor, count: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for _ in range(count):
        key = cursor.text(MOST_KEY_BYTES, "key", "键")
        if key in values:
            raise _bad(cursor.name, f"the key {shown(key)} is there twice", f"键{shown_zh(key)}出现了两次")
        values[key] = _value(cursor, key, cursor.scalar("I"))
    return values


def _value(cursor: _Cursor, key: str, kind: int) -> Any:
    if kind in SCALARS:
        return cursor.scalar(SCALARS[kind])
    if kind == STRING:
        return cursor.string(key)
    if kind != ARRAY:
        raise _bad(
            cursor.name,
            f"the value of {shown(key)} has type {kind}, and types go from 0 to 12",
            f"{shown_zh(key)}的值的类型为 {kind}，而类型只有 0 到 12",
        )
    inner, count = cursor.scalar("I"), cursor.scalar("Q")
    if inner in SCALARS:
        return cursor.numbers(SCALARS[inner], count, key)
    if inner != STRING:
        raise _bad(
            cursor.name,
            f"the array {shown(key)} holds values of type {inner}: numbers and strings are read",
            f"数组{shown_zh(key)}的元素类型为 {inner}：这里读数字和字符串",
        )
    cursor.need(count, 8, f"strings in {shown(key)}", f"个字符串（{shown_zh(key)}）")
    if count > MOST_STRINGS:
        raise _bad(
            cursor.name,
            f"the array {shown(key)} has {number(count)} strings, and {number(MOST_STRINGS)} are read at "
            "most",
            f"数组{shown_zh(key)}有 {number(count)} 个字符串，而这里最多读 {number(MOST_STRINGS)} 个",
        )
    cursor.skip_strings(count)
    return Left(count)


def _tensors(cursor: _Cursor, count: int, alignment: int) -> dict[str, TensorEntry]:
    found: dict[str, tuple[tuple[int, ...], int, int, int | None]] = {}
    for _ in range(count):
        name = cursor.text(MOST_NAME_BYTES, "name of a tensor", "张量名")
        if name in found:
            raise _bad(
                cursor.name, f"the tensor {shown(name)} is there twice", f"张量{shown_zh(name)}出现了两次"
            )
        dims = cursor.scalar("I")
        if dims > MOST_DIMS:
            raise _bad(
                cursor.name,
                f"the tensor {shown(name)} has {number(dims)} dimensions, and {MOST_DIMS} is the most "
                "there are",
                f"张量{shown_zh(name)}有 {number(dims)} 维，而最多只有 {MOST_DIMS} 维",
            )
        sizes = [cursor.scalar("Q") for _ in range(dims)]
        kind, offset = cursor.scalar("I"), cursor.scalar("Q")
        found[name] = (tuple(reversed(sizes)), kind, offset, _bytes_of(cursor.name, name, sizes, kind))
    start = -(-cursor.at // alignment) * alignment
    entries = {
        name: TensorEntry(shape=shape, kind=kind, start=start + offset, size=size)
        for name, (shape, kind, offset, size) in found.items()
    }
    _check_places(cursor, entries, {name: entry[2] for name, entry in found.items()}, alignment)
    return entries


def _bytes_of(file: str, name: str, sizes: list[int], kind: int) -> int | None:
    elements, row = math.prod(sizes), sizes[0] if sizes else 1
    if elements >= 2**63:
        raise _bad(
            file,
            f"the tensor {shown(name)} has {number(elements)} elements, more than any file holds",
            f"张量{shown_zh(name)}有 {number(elements)} 个元素，没有文件装得下",
        )
    if kind not in BLOCKS:
        return None
    type_name, block, size = BLOCKS[kind]
    if row % block:
        raise _bad(
            file,
            f"a row of the tensor {shown(name)} has {number(row)} elements, and {type_name} has blocks of "
            f"{block}",
            f"张量{shown_zh(name)}每行有 {number(row)} 个元素，而 {type_name} 需要 {block} 的倍数",
        )
    return elements // block * size


def _check_places(
    cursor: _Cursor, entries: Mapping[str, TensorEntry], offsets: Mapping[str, int], alignment: int
) -> None:
    """Each inside the file, at a multiple of the alignment, and on no other's bytes."""
    for name, entry in entries.items():
        if offsets[name] % alignment:
            raise _bad(
                cursor.name,
                f"the tensor {shown(name)} lies at offset {number(offsets[name])}, no multiple of "
                f"{alignment}",
                f"张量{shown_zh(name)}的偏移为 {number(offsets[name])}，不是 {alignment} 的倍数",
            )
        end = entry.start + (entry.size or 0)
        if end > cursor.size:
            raise _bad(
                cursor.name,
                f"the tensor {shown(name)} ends at byte {number(end)}, and the file has "
                f"{number(cursor.size)}: "
                "it was cut off, so fetch it again",
                f"张量{shown_zh(name)}结束于第 {number(end)} 字节，而文件只有 {number(cursor.size)} 字节："
                "文件不完整，请重新下载",
            )
    ordered = sorted(entries.items(), key=lambda item: (item[1].start, item[1].size or 0))
    for (name, entry), (other, after) in pairwise(ordered):
        if entry.start + (entry.size or 0) > after.start:
            raise _bad(
                cursor.name,
                f"the tensors {shown(name)} and {shown(other)} lie on the same bytes",
                f"张量{shown_zh(name)}和{shown_zh(other)}占用了相同的字节",
            )


class _Cursor:
    """A place in the bytes of a header; whatever it takes is there, or it says that it isn't."""

    def __init__(self, data: bytes | mmap.mmap, name: str | Path):
        self.name, self.size, self.at = str(name), len(data), 0
        self.order: Literal["<", ">"] = "<"
        self._data: bytes | mmap.mmap | None = data

    def __enter__(self) -> _Cursor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._data = None  # an error may keep this object, and with it the file, open

    def take(self, count: int) -> bytes:
        self.skip(count)
        assert self._data is not None
        return self._data[self.at - count : self.at]

    def skip(self, count: int) -> None:
        if count > self.size - self.at:
            raise _bad(
                self.name,
                f"at byte {number(self.at)} it promises {number(count)} bytes more, and {self._left()}: "
                "it is damaged or was cut off, so fetch it again",
                f"在第 {number(self.at)} 字节处它声称还有 {number(count)} 字节，而实际只剩 "
                f"{number(self.size - self.at)} 字节："
                "文件已损坏或不完整，请重新下载",
            )
        self.at += count

    def skip_strings(self, count: int) -> None:
        """Past ``count`` strings, each behind its length; vocabularies have hundreds of thousands."""
        assert self._data is not None
        length_at, size, at = struct.Struct(self.order + "Q").unpack_from, self.size, self.at
        left, length = count, 0
        while left and length <= size - at - 8:
            at += length
            length = 8 + length_at(self._data, at)[0]
            left -= 1
        self.at = at
        if length:
            self.skip(8)
            self.skip(length - 8)  # which says it, where the length leads past the end
        self.need(left, 8, "strings more" if left > 1 else "string more", "个字符串")

    def scalar(self, code: str) -> Any:
        form = struct.Struct(self.order + code)
        return form.unpack(self.take(form.size))[0]

    def need(self, count: int, each: int, what: str, what_zh: str) -> None:
        """Whether ``count`` things of at least ``each`` bytes can be there at all."""
        if count > (self.size - self.at) // each:
            raise _bad(
                self.name,
                f"it promises {number(count)} {what}, and {self._left()}: it is damaged or was cut off, so "
                "fetch it again",
                f"它声称有 {number(count)} {what_zh}，而实际只剩 {number(self.size - self.at)} 字节："
                "文件已损坏或不完整，请重新下载",
            )

    def _left(self) -> str:
        left = self.size - self.at
        return "1 byte is left" if left == 1 else f"{number(left)} bytes are left"

    def text(self, most: int, what: str, what_zh: str) -> str:
        length = self.scalar("Q")
        if length > most:
            raise _bad(
                self.name,
                f"at byte {number(self.at)} a {what} has {number(length)} bytes, and {number(most)} is the "
                "most "
                "there are",
                f"在第 {number(self.at)} 字节处{what_zh}长 {number(length)} 字节，而最长为 {number(most)} "
                "字节",
            )
        return self._decoded(self.take(length), what, what_zh)

    def string(self, key: str) -> str | Left:
        length = self.scalar("Q")
        if length > KEPT_BYTES:
            self.skip(length)
            return Left(length)
        return self._decoded(self.take(length), f"value of {shown(key)}", f"{shown_zh(key)}的值")

    def numbers(self, code: str, count: int, key: str) -> tuple[Any, ...] | Left:
        each = struct.calcsize(self.order + code)
        self.need(count, each, f"numbers in {shown(key)}", f"个数（{shown_zh(key)}）")
        if count > KEPT_VALUES:
            self.skip(count * each)
            return Left(count)
        return struct.unpack(f"{self.order}{count}{code}", self.take(count * each))

    def _decoded(self, raw: bytes, what: str, what_zh: str) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise _bad(
                self.name,
                f"before byte {number(self.at)} the {what} is not UTF-8",
                f"在第 {number(self.at)} 字节之前，{what_zh}不是 UTF-8",
            ) from None


def _power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _bad(path: str | Path, en: str, zh: str) -> ClockhandsError:
    return ClockhandsError(f"{path} is no usable GGUF file: {en}", f"{path} 不是可用的 GGUF 文件：{zh}")
