"""JSON that is hostile, broken or merely careless: one sentence each, and nothing lost."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clockhands.check.read.json_file import DEEPEST, LARGEST, looked_over, parse_json, read_json
from clockhands.errors import ClockhandsError

DEEP = 100_000

BROKEN = {
    "a list": (b"[1, 2]", "holds a list"),
    "a number": (b"7", "holds a single value"),
    "text": (b'"rope"', "holds text"),
    "nothing": (b"", "is empty"),
    "blanks": (b" \n\t ", "is empty"),
    "a mark alone": (b"\xef\xbb\xbf", "is not JSON"),
    "half an object": (b'{"rope_theta": ', "is not JSON, line 1, column 16"),
    "a comment": (b'{"a": 1} // no', "is not JSON"),
    "single quotes": (b"{'a': 1}", "is not JSON"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "is not UTF-8"),
    "Latin-1": ('{"a": "é"}'.encode("latin-1"), "is not UTF-8 text (byte 7)"),
    "binary": (b"GGUF\x03\x00\x00\x00", "is not JSON"),
    "brackets": (b'{"a": ' + b"[" * DEEP + b"]" * DEEP + b"}", "nests more than 64"),
    "brackets without an end": (b'{"a": ' + b"[" * DEEP, "nests more than 64"),
    "braces": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nests more than 64"),
    "just too deep": (b'{"a":' * (DEEPEST + 2) + b"1" + b"}" * (DEEPEST + 2), "nests more than 64"),
}


@pytest.mark.parametrize(("data", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_configuration_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    with pytest.raises(ClockhandsError) as error:
        read_json(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)
    assert error.value.text.zh != error.value.text.en


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(50 * 2**20)
    tracemalloc.start()
    with pytest.raises(ClockhandsError, match="larger than 4 MB"):
        read_json(path)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("value", [b"[]", b"{}", b"7"])
def test_very_many_values_are_refused_before_they_are_made(tmp_path: Path, value: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b'{"a": [' + b",".join([value] * (LARGEST // 4)) + b"]}")
    tracemalloc.start()
    with pytest.raises(ClockhandsError, match="more than 300,000 values"):
        read_json(path)
    assert tracemalloc.get_traced_memory()[1] < 5 * LARGEST
    tracemalloc.stop()


def test_names_of_many_classes_are_read() -> None:
    classes = {str(n): f"tench, number {n}, Tinca tinca" for n in range(21_843)}
    file = {"id2label": classes, "label2id": {name: int(n) for n, name in classes.items()}}
    assert parse_json(json.dumps(file), "it").values == file


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, says in ((tmp_path, "folder"), (tmp_path / "none", "no such file"), (pipe, "pipe")):
        with pytest.raises(ClockhandsError, match=says):
            read_json(path)
    for path, says in (("/dev/zero", "device"), ("a\0b", "zero byte")):
        with pytest.raises(ClockhandsError, match=says):
            read_json(path)


def test_a_mark_in_front_is_passed_over() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1}', "it").values == {"a": 1}


def test_keys_told_twice_are_named_with_both_values() -> None:
    told = parse_json('{"rope_theta": 1e4, "x": [{"b": 1, "b": {"c": 2}}], "rope_theta": 5e5}', "it")
    assert told.values == {"rope_theta": 5e5, "x": [{"b": {"c": 2}}]}
    assert sorted(told.twice) == [("rope_theta", 1e4, 5e5), ("x.b", 1, {"c": 2})]


def test_numbers_that_are_none_are_named_as_written() -> None:
    text = (
        '{"a": NaN, "b": {"c": [1, -Infinity]}, "d": 1e400, "e": -1e999, "f": ' + "9" * 5000 + ', "g": 1e308}'
    )
    told = parse_json(text, "it")
    assert dict(told.odd) == {
        "a": "NaN", "b.c": "-Infinity", "d": "1e400", "e": "-1e999", "f": "9" * 20 + "...",
    }  # fmt: skip
    assert told.values["d"] == float("inf")
    assert type(told.values["a"]) is float
    assert told.values["g"] == 1e308


def test_text_that_no_console_can_write_is_mended() -> None:
    assert parse_json('{"a\\ud800": "b\\udfff"}', "it").values == {"a?": "b?"}


def test_dictionaries_of_a_program_are_looked_over_too() -> None:
    assert looked_over({"a": (1, 2), "b": float("nan")}, "it").odd == (("b", "nan"),)
    assert looked_over({"id2label": {0: "a", 1: "b"}}, "it").values == {"id2label": {"0": "a", "1": "b"}}
    for key in (7.0, True, None):
        with pytest.raises(ClockhandsError, match=f"has the key {key}, and keys are text"):
            looked_over({"a": {key: 1}}, "it")
    endless: dict[str, object] = {}
    endless["again"] = endless
    with pytest.raises(ClockhandsError, match="nests more than"):
        looked_over(endless, "it")


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False,
    allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), plain, max_size=6))
@settings(max_examples=60)
def test_what_python_writes_is_read_back(values: dict[str, object]) -> None:
    told = parse_json(json.dumps(values), "it")
    assert told.values == values
    assert told.twice == told.odd == ()


@given(st.binary(max_size=60) | st.text('{}[]":,0123456789eE+-.NaInfitulrs \\u', max_size=60).map(str.encode))
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        told = parse_json(data, "it")
    except ClockhandsError:
        return
    assert isinstance(told.values, dict)
