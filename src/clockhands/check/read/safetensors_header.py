"""The header of a safetensors file, and numbers of its tensors, read without trusting a number in it.

Eight bytes say how long the JSON behind them is; the JSON says where each tensor lies. Both are held against
the file before anything is allocated. Source: the format's own description (huggingface/safetensors). It lets
a header have 100 MB, which JSON turns into gigabytes of objects; real ones have a few, and 8 are read.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from clockhands.check.read.opening import opened
from clockhands.check.saying import number
from clockhands.errors import ClockhandsError, shown, shown_zh

MOST_HEADER = 2**23
MOST_VALUES = 10**6  # commas in a JSON text: one less than the values of all its lists and objects
MOST_DIMS = 64

BITS: dict[str, int] = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "U16": 16, "I16": 16, "F16": 16, "BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64,
    "F64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip
READABLE = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2", "I32": "<i4", "I64": "<i8"}


@dataclass(frozen=True, kw_only=True)
class StoredTensor:
    """Where a tensor lies: ``start`` counts from the beginning of the file ``path``."""

    path: Path
    dtype: str
    shape: tuple[int, ...]
    start: int
    size: int


def read_header(path: str | Path) -> dict[str, StoredTensor]:
    """The tensors of one file by name."""
    path = Path(path)
    with opened(path) as (file, size):
        if size < 8:
            raise _bad(
                path,
                f"it has {number(size)} bytes, and its length alone takes 8",
                f"它只有 {number(size)} 字节，而仅长度就要 8 字节",
            )
        length = struct.unpack("<Q", file.read(8))[0]
        if length > min(size - 8, MOST_HEADER):
            raise _bad(
                path,
                f"it promises a header of {number(length)} bytes, and {number(size - 8)} are left, or at "
                "most "
                f"{number(MOST_HEADER)}: "
                "it is damaged or was cut off, so fetch it again",
                f"它声称文件头有 {number(length)} 字节，而实际只剩 {number(size - 8)} 字节（上限 "
                f"{number(MOST_HEADER)}）："
                "文件已损坏或不完整，请重新下载",
            )
        entries = _parsed(path, file.read(length))
    tensors = {
        name: _entry(path, name, entry, 8 + length, size)
        for name, entry in entries.items()
        if name != "__metadata__"
    }
    _check_places(path, tensors)
    return tensors


def numbers(tensor: StoredTensor, first: int = 0, count: int | None = None) -> np.ndarray | None:
    """Rows ``first`` … of a tensor in float32 (float64 for wider types); None for types that are not read."""
    code = READABLE.get(tensor.dtype)
    if code is None:
        return None
    rows = tensor.shape[0] if tensor.shape else 1
    count = rows - first if count is None else min(count, rows - first)
    each = tensor.size // rows if rows else 0
    with opened(tensor.path) as (file, _):
        file.seek(tensor.start + first * each)
        raw = np.frombuffer(file.read(count * each), code)
    if tensor.dtype == "BF16":
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    wide = np.float64 if raw.dtype.itemsize == 8 else np.float32
    with np.errstate(all="ignore"):  # damaged numbers are no fault of the reader
        return raw.astype(wide).reshape((count, *tensor.shape[1:]) if tensor.shape else ())


def _parsed(path: Path, raw: bytes) -> Mapping[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            twice = next(name for n, (name, _) in enumerate(pairs) if name in dict(pairs[:n]))
            raise _bad(path, f"its header has {shown(twice)} twice", f"文件头中{shown_zh(twice)}出现了两次")
        return found

    try:
        if raw.count(b",") > MOST_VALUES:
            raise _bad(path, "its header has millions of values", "它的文件头有几百万个值")
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=once)
    except ClockhandsError:
        raise
    except (ValueError, RecursionError):  # not UTF-8, not JSON, digits without end, nested without end
        raise _bad(path, "its header is not JSON", "它的文件头不是 JSON") from None
    if not isinstance(found, dict):
        raise _bad(path, "its header is no JSON object", "它的文件头不是 JSON 对象")
    return found


def _entry(path: Path, name: str, entry: Any, start: int, size: int) -> StoredTensor:
    dtype, shape, places = (entry.get(key) if isinstance(entry, dict) else None for key in KEYS)
    sound = (
        isinstance(dtype, str)
        and isinstance(shape, list)
        and len(shape) <= MOST_DIMS
        and isinstance(places, list)
        and len(places) == 2
        and all(
            isinstance(each, int) and not isinstance(each, bool) and 0 <= each < 2**63
            for each in (*shape, *places)
        )
    )
    if not sound:
        raise _bad(
            path,
            f"its entry for {shown(name)} is no dtype, shape and data_offsets",
            f"{shown_zh(name)}的条目不是由 dtype、shape 和 data_offsets 组成",
        )
    assert isinstance(shape, list)
    assert isinstance(places, list)
    begin, end = places
    if begin > end or start + end > size:
        raise _bad(
            path,
            f"the tensor {shown(name)} lies at bytes {number(begin)} to {number(end)} of "
            f"{number(size - start)}: "
            "it is damaged or was cut off, so fetch it again",
            f"张量{shown_zh(name)}位于第 {number(begin)} 到 {number(end)} 字节，而数据只有 "
            f"{number(size - start)} 字节："
            "文件已损坏或不完整，请重新下载",
        )
    bits = BITS.get(str(dtype))
    needed = None if bits is None else math.prod(shape) * bits
    if needed is not None and needed != 8 * (end - begin):
        raise _bad(
            path,
            f"the tensor {shown(name)} of shape {shown(shape)} in {dtype} takes {number(-(-needed // 8))} "
            "bytes, "
            f"and it has {number(end - begin)}",
            f"形状为{shown_zh(shape)}、类型为 {dtype} 的张量{shown_zh(name)}需要 {number(-(-needed // 8))} "
            "字节，"
            f"而它有 {number(end - begin)} 字节",
        )
    return StoredTensor(
        path=path, dtype=str(dtype), shape=tuple(shape), start=start + begin, size=end - begin
    )


KEYS = ("dtype", "shape", "data_offsets")


def _check_places(path: Path, tensors: Mapping[str, StoredTensor]) -> None:
    ordered = sorted(tensors.items(), key=lambda item: (item[1].start, item[1].size))
    for (name, tensor), (other, after) in pairwise(ordered):
        if tensor.start + tensor.size > after.start:
            raise _bad(
                path,
                f"the tensors {shown(name)} and {shown(other)} lie on the same bytes",
                f"张量{shown_zh(name)}和{shown_zh(other)}占用了相同的字节",
            )


def _bad(path: Path, en: str, zh: str) -> ClockhandsError:
    return ClockhandsError(
        f"{path} is no usable safetensors file: {en}", f"{path} 不是可用的 safetensors 文件：{zh}"
    )
