"""Checking another implementation's numbers against the catalogue's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clockhands.catalogue import describe
from clockhands.errors import ClockhandsError, nearest, reason_of, shown
from clockhands.golden.vectors import ANSWERED, FORMAT, OLDER, VERSION, answer, without_null
from clockhands.language import Text
from clockhands.memory import require_memory

TOLERANCE = 1e-6
"""Relative to a vector's largest number: room for float32, not for another formula."""
_MISSHAPEN = (
    KeyError, ValueError, TypeError, IndexError, OverflowError, RecursionError, RuntimeError
)  # fmt: skip
"""What numpy and torch raise where arrays don't fit."""
_LONGEST_NAME = 80  # letters that are said of a vector's name
_LARGEST_FILE = 256 * 2**20  # bytes


@dataclass(frozen=True)
class Compared:
    """One vector and how far it is from the catalogue's.

    error  largest difference over our largest number; inf where shapes differ or a number isn't finite
    says   what differs most, in both languages; empty where the vector agrees
    """

    name: str
    agrees: bool
    error: float
    says: Text


def read_document(path: str | Path) -> dict[str, Any]:
    """The JSON in a file. ClockhandsError where there is none, or it is no document of golden vectors."""
    place = Path(path)
    try:
        if place.stat().st_size > _LARGEST_FILE:
            raise _no_document(place, Text("it is larger than 256 MB", "它超过 256 MB"))
        found = json.loads(place.read_bytes())
    except OSError as error:
        reason = reason_of(error)
        raise ClockhandsError(f"{place}: {reason.en}", f"{place}：{reason.zh}") from error
    except (ValueError, RecursionError) as error:
        raise _no_document(place, Text("it is not JSON", "它不是 JSON")) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _no_document(place, Text(f"its format is not '{FORMAT}'", f"它的 format 不是“{FORMAT}”"))
    if found.get("version") not in (VERSION, *OLDER):
        version = shown(found.get("version"))
        says = Text(f"its version is {version}, not {VERSION}", f"它的版本是 {version}，不是 {VERSION}")
        raise _no_document(place, says)
    return found


def check(document: dict[str, Any], tolerance: float = TOLERANCE) -> tuple[Compared, ...]:
    """Each vector of a document against the catalogue, in order.

    tolerance  largest difference allowed, relative to the largest number of a vector

    Raises ClockhandsError for a document without vectors, and for a vector that names no scheme, parameter or
    quantity that there is.

    >>> from clockhands.golden import document
    >>> all(vector.agrees for vector in check(document()))
    True
    """
    if not 0 <= tolerance < np.inf:
        raise ClockhandsError(
            f"tolerance is {tolerance}, but it must be a finite number, 0 or more: for example {TOLERANCE:g}",
            f"tolerance 为 {tolerance}，但它必须是不小于 0 的有限的数：例如 {TOLERANCE:g}",
        )
    vectors = document.get("vectors")
    if not isinstance(vectors, list) or not vectors or not all(isinstance(each, dict) for each in vectors):
        raise ClockhandsError(
            "the document has no list of vectors: write one with 'clockhands golden -o FILE'",
            "文件里没有 vectors 列表：请用“clockhands golden -o 文件”生成一份",
        )
    return tuple(_compared(vector, number, tolerance) for number, vector in enumerate(vectors, start=1))


def _compared(vector: dict[str, Any], number: int, tolerance: float) -> Compared:
    name = " ".join(str(vector.get("name", number)).split())[:_LONGEST_NAME]
    ours = np.asarray(_ours(vector, name), dtype=np.float64)
    try:
        theirs = np.asarray(without_null(vector.get("output")), dtype=np.float64)
    except (TypeError, ValueError, OverflowError, RecursionError):
        says = Text("its output is not an array of numbers", "它的 output 不是由数字组成的数组")
        return Compared(name, False, np.inf, says)
    if theirs.shape != ours.shape:
        shapes = theirs.shape, ours.shape
        says = Text("its shape is {}, not {}".format(*shapes), "它的形状是 {}，应为 {}".format(*shapes))
        return Compared(name, False, np.inf, says)
    gap = np.abs(np.subtract(theirs, ours, out=np.zeros(ours.shape), where=theirs != ours))  # inf equals inf
    away = np.asarray(np.where(np.isnan(gap), np.inf, gap))
    scale = np.abs(ours[np.isfinite(ours)]).max(initial=0.0) or 1.0
    error = float(away.max(initial=0.0) / scale)
    if error <= tolerance:
        return Compared(name, True, error, Text("", ""))
    where = np.unravel_index(int(away.argmax()), away.shape)
    place = [int(each) for each in where]
    at = Text(f"at {place} ", f"在 {place} 处") if place else Text("", "")
    says = Text(
        f"{at.en}it is {theirs[where]:.9g}, and ours is {ours[where]:.9g}",
        f"{at.zh}是 {theirs[where]:.9g}，我们的是 {ours[where]:.9g}",
    )
    return Compared(name, False, error, says)


def _ours(vector: dict[str, Any], name: str) -> Any:
    parameters, inputs = vector.get("parameters", {}), vector.get("inputs", {})
    quantity = vector.get("quantity")
    if not isinstance(parameters, dict) or not isinstance(inputs, dict):
        raise _bad(name, Text("parameters and inputs must be objects", "parameters 和 inputs 必须是对象"))
    if not isinstance(quantity, str) or quantity not in ANSWERED:
        hint = nearest(str(quantity), ANSWERED)
        raise _bad(
            name,
            Text(f"quantity is {shown(quantity)}: {hint.en}", f"quantity 为 {shown(quantity)}：{hint.zh}"),
        )
    scheme = vector.get("scheme")
    if not isinstance(scheme, str) or ":" in scheme:  # a document is data: it makes nobody import anything
        says = Text("its scheme must be the id of a scheme", "它的 scheme 必须是方案的名称")
        raise _bad(name, says)
    try:
        given = {
            str(key): tuple(value) if isinstance(value, list) else value for key, value in parameters.items()
        }
        described = describe(scheme, **given)
        for values in inputs.values():
            require_memory(Text("this vector", "这组数"), np.shape(values))
        ours = answer(described, quantity, inputs)
    except ClockhandsError as error:
        raise _bad(name, error.text) from error
    except _MISSHAPEN as error:
        says = Text("its inputs are missing or have another shape", "它的 inputs 缺失，或形状不对")
        raise _bad(name, says) from error
    if ours is None:
        id = described.card.id
        raise _bad(name, Text(f"{id} has no {quantity}", f"{id} 没有 {quantity}"))
    return ours


def _bad(name: str, says: Text) -> ClockhandsError:
    return ClockhandsError(f"vector '{name}': {says.en}", f"向量“{name}”：{says.zh}")


def _no_document(place: Path, why: Text) -> ClockhandsError:
    return ClockhandsError(
        f"{place} holds no golden vectors: {why.en}; write some with 'clockhands golden -o FILE'",
        f"{place} 里没有基准数据：{why.zh}；可用“clockhands golden -o 文件”生成",
    )
