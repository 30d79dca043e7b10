"""Configurations in JSON, read so that nothing in them goes unseen or does harm.

Keys told twice, numbers that JSON doesn't know, files without end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clockhands.check.read.opening import opened
from clockhands.check.saying import number
from clockhands.errors import ClockhandsError, shown, shown_zh

LARGEST = 4 * 2**20
"""Bytes. Real ones hold a few thousand, or some two million with the names of 21,000 classes."""

DEEPEST = 64
"""Brackets within brackets; real ones have five."""

LONGEST = 400
"""Digits of a number: more are past what a double holds."""

MOST_VALUES = 300_000
"""Values of all depths; real ones have some hundred, or twice 21,000 with the names of classes."""

MOST_SAID = 20
"""Things said of one file of each kind: a file that is all wrong is told once."""


@dataclass(frozen=True)
class Told:
    """Values of a file, and what is strange about how they are written.

    twice  path of a key that stands twice, its first and its last value
    odd    path of a number that JSON or a double doesn't know, and how it is written
    """

    values: Mapping[str, Any]
    twice: tuple[tuple[str, Any, Any], ...] = ()
    odd: tuple[tuple[str, str], ...] = ()


def read_json(path: str | Path) -> Told:
    """The object that a file holds.

    Raises ClockhandsError where there is none: no such file, a folder, a pipe, empty, too large, not UTF-8,
    not JSON, not an object, or nested too deep.
    """
    return parse_json(contents(path), str(path))


def contents(path: str | Path, largest: int = LARGEST) -> bytes:
    """All bytes of a plain file that isn't empty; its size is looked at before it is read."""
    if "\0" in str(path):
        raise ClockhandsError(
            f"{shown(str(path))} is not a path: it holds a zero byte",
            f"{shown_zh(str(path))}不是路径：其中有零字节",
        )
    with opened(path) as (file, size):
        data = b"" if size > largest else file.read(largest + 1)
    if size > largest or len(data) > largest:
        limit = largest // 2**20
        raise ClockhandsError(
            f"{path} is larger than {limit} MB, which no configuration is: give the config.json itself",
            f"{path} 超过 {limit} MB，配置文件不会这么大：请给出 config.json 本身",
        )
    if not data.strip():
        raise ClockhandsError(
            f"{path} is empty: give a configuration, a JSON object",
            f"{path} 是空的：请给出一份配置，即一个 JSON 对象",
        )
    return data


def decoded(data: bytes, name: str) -> str:
    """As UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClockhandsError(
            f"{name} is not UTF-8 text (byte {error.start}), which configurations are: save it so",
            f"{name} 不是 UTF-8 文本（第 {error.start} 字节），而程序按 UTF-8 读取配置：请另存为 UTF-8",
        ) from error


def parse_json(data: bytes | str, name: str) -> Told:
    """The object in a text; ``name`` is what errors call it."""
    text = decoded(data, name) if isinstance(data, bytes) else data
    if sum(map(text.count, ",[{")) > 2 * MOST_VALUES:  # as seen before any is made; text may hold commas too
        raise _too_many(name)
    try:
        value = json.loads(
            text, object_pairs_hook=_Object, parse_float=_number, parse_int=_number, parse_constant=_Odd
        )
    except json.JSONDecodeError as error:
        raise ClockhandsError(
            f"{name} is not JSON, line {error.lineno}, column {error.colno}: {error.msg}",
            f"{name} 不是 JSON，第 {error.lineno} 行第 {error.colno} 列有误：请在那里改正",
        ) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    if not isinstance(value, dict):
        kind = {list: ("a list", "列表"), str: ("text", "文本")}.get(
            type(value), ("a single value", "单个值")
        )
        raise ClockhandsError(
            f"{name} holds {kind[0]}, and a configuration is an object: give one in braces",
            f"{name} 里是{kind[1]}，而配置是一个对象：请给出花括号中的对象",
        )
    return looked_over(value, name)


def looked_over(value: Mapping[str, Any], name: str) -> Told:
    """Plain dictionaries and lists of what was parsed or given by a program, and what is strange in it."""
    twice: list[tuple[str, Any, Any]] = []
    odd: list[tuple[str, str]] = []
    whole: dict[str, Any] = {}
    count = 0
    waiting: list[tuple[Any, str, int, dict[str, Any] | list[Any]]] = [(value, "", 0, whole)]
    while waiting:
        given, path, depth, copy = waiting.pop()
        if depth > DEEPEST:
            raise _too_deep(name)
        if isinstance(given, _Object) and len(twice) < MOST_SAID:
            twice.extend((_path(path, key), _plain(first), _plain(last)) for key, first, last in given.twice)
        count += len(given)
        if count > MOST_VALUES:
            raise _too_many(name)
        for key, each in _items(given, name):
            where = path if isinstance(copy, list) else _path(path, key)
            if isinstance(each, Mapping | list | tuple):
                inner: dict[str, Any] | list[Any] = {} if isinstance(each, Mapping) else []
                waiting.append((each, where, depth + 1, inner))
            else:
                inner = _plain(each)
                if (isinstance(each, _Odd) or _is_odd(each)) and len(odd) < MOST_SAID:
                    odd.append((where, each.written if isinstance(each, _Odd) else str(each)))
            if isinstance(copy, list):
                copy.append(inner)
            else:
                copy[_plain(key)] = inner
    return Told(whole, tuple(twice[:MOST_SAID]), tuple(odd))


class _Odd(float):
    """A number that isn't one, or past what a double holds; remembers how it is written."""

    def __new__(cls, written: str) -> _Odd:
        try:
            self = super().__new__(cls, written)
        except ValueError:
            self = super().__new__(cls, "nan")
        self.written = shown(written, 24).strip("'")
        return self

    written: str


def _number(written: str) -> int | float:
    if len(written) > LONGEST:
        return _Odd(written)
    if written.lstrip("-").isdigit():
        return int(written)
    value = float(written)
    return value if abs(value) < float("inf") else _Odd(written)


class _Object(dict[str, Any]):
    """An object of JSON that remembers keys told twice: the last counts, as in every program."""

    def __init__(self, pairs: list[tuple[str, Any]]):
        super().__init__(pairs)
        self.twice: list[tuple[str, Any, Any]] = []
        if len(self) < len(pairs):
            first: dict[str, Any] = {}
            for key, value in pairs:
                first.setdefault(key, value)
            counts: dict[str, int] = {}
            for key, _ in pairs:
                counts[key] = counts.get(key, 0) + 1
            again = [key for key, count in counts.items() if count > 1][:MOST_SAID]
            self.twice = [(key, first[key], self[key]) for key in again]


def _items(given: Any, name: str) -> Iterator[tuple[Any, Any]]:
    if not isinstance(given, Mapping):
        yield from enumerate(given)
        return
    for key, value in given.items():
        if isinstance(key, int) and not isinstance(key, bool):
            key = str(key)  # as JSON would write it: transformers has names of classes by number
        if not isinstance(key, str):
            raise ClockhandsError(
                f"{name} has the key {shown(key)}, and keys are text: write it in quotes",
                f"{name} 里有键{shown_zh(key)}，而键应为文本：请加上引号",
            )
        yield key, value


def _path(path: str, key: Any) -> str:
    key = _plain(key)
    return f"{path}.{key}" if path else key


def _plain(value: Any) -> Any:
    """Text that every output can hold, and numbers of the plain types."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, _Odd):
        return float(value)
    return value


def _is_odd(value: Any) -> bool:
    return isinstance(value, float) and not abs(value) < float("inf")


def _too_many(name: str) -> ClockhandsError:
    return ClockhandsError(
        f"{name} holds more than {number(MOST_VALUES)} values, as no configuration does: give a real one",
        f"{name} 里的值超过 {number(MOST_VALUES)} 个，配置不会这样：请给出正常的配置",
    )


def _too_deep(name: str) -> ClockhandsError:
    return ClockhandsError(
        f"{name} nests more than {DEEPEST} levels deep, which no configuration does: give one that doesn't",
        f"{name} 的嵌套超过 {DEEPEST} 层，配置不会这样：请给出正常的配置",
    )
