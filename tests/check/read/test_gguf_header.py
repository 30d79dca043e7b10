"""Headers of GGUF files: honest ones read as the package gguf reads them, lying ones get one sentence."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import gguf as gguf_package
import numpy as np
import pytest
from gguf.constants import GGML_QUANT_SIZES
from gguf_files import ARRAY, LLAMA, TEXT, U32, gguf, text, value
from hypothesis import given, settings
from hypothesis import strategies as st

from clockhands.check.read.gguf_header import Left, parse_header, read_header
from clockhands.check.read.gguf_types import BLOCKS
from clockhands.errors import ClockhandsError

HUGE = 2**62
SAID = "4.6117e+18"
GOOD = gguf(LLAMA, {"a": np.ones((3, 4)), "b": np.zeros(5)})


def array(inner: int, count: int, body: bytes = b"") -> bytes:
    return struct.pack("<IIQ", ARRAY, inner, count) + body


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
def test_values_and_places(order: str, version: int) -> None:
    values = {**LLAMA, "words": ["a", "bc"], "flags": [True, False], "halves": [0.5, 1.5], "on": True}
    raw = gguf(values, {"a": np.ones((3, 4)), "b": np.zeros(5)}, order=order, version=version)
    header = parse_header(raw)
    assert (header.version, header.byte_order) == (version, order)
    assert header.values == {**values, "words": Left(2), "flags": (True, False), "halves": (0.5, 1.5)}
    first = header.tensors["a"]
    assert (first.shape, first.type_name, first.size) == ((3, 4), "F32", 48)
    assert np.frombuffer(raw, order + "f4", 12, first.start).tolist() == [1.0] * 12


def test_the_package_gguf_reads_the_same(tmp_path: Path) -> None:
    writer = gguf_package.GGUFWriter(tmp_path / "a.gguf", "llama")
    writer.add_context_length(4096)
    writer.add_rope_freq_base(123456.0)
    writer.add_array("llama.attention.head_count_kv", [4, 0, 2])
    writer.add_tensor("rope_freqs.weight", np.linspace(1, 8, 12, dtype=np.float32))
    writer.add_tensor("blk.0.attn_q.weight", np.ones((6, 32), dtype=np.float16))
    for step in ("write_header_to_file", "write_kv_data_to_file", "write_tensors_to_file", "close"):
        getattr(writer, step)()
    header, theirs = read_header(tmp_path / "a.gguf"), gguf_package.GGUFReader(tmp_path / "a.gguf")
    ours = {key: list(each) if isinstance(each, tuple) else each for key, each in header.values.items()}
    assert ours == {
        key: each.contents() for key, each in theirs.fields.items() if not key.startswith("GGUF.")
    }
    assert {name: (each.start, each.size, each.shape) for name, each in header.tensors.items()} == {
        each.name: (each.data_offset, each.n_bytes, tuple(reversed(each.shape.tolist())))
        for each in theirs.tensors
    }


def test_the_package_gguf_has_the_same_blocks() -> None:
    theirs = {int(kind): (kind.name, *size) for kind, size in GGML_QUANT_SIZES.items()}
    assert {kind: theirs[kind] for kind in BLOCKS if kind in theirs} == BLOCKS


LIES = {
    "empty": (b"", "0 bytes"),
    "other": (b"PK\3\4" + b"\0" * 40, "begin with 'GGUF'"),
    "version 1": (b"GGUF" + struct.pack("<IIIQ", 1, 0, 0, 0), "version 1"),
    "version of the future": (gguf(LLAMA, version=9), "version 9"),
    "billions of tensors": (gguf(LLAMA, tensor_count=HUGE), f"{SAID} tensors"),
    "billions of values": (gguf(LLAMA, value_count=HUGE), f"{SAID} key-value pairs"),
    "long key": (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, HUGE) + b"\0" * 64, f"{SAID} bytes"),
    "long string": (gguf({"a": struct.pack("<IQ", TEXT, HUGE)}), f"promises {SAID} bytes more"),
    "long array": (gguf({"a": array(U32, HUGE)}), f"{SAID} numbers"),
    "long array of strings": (gguf({"a": array(TEXT, HUGE)}), f"{SAID} strings"),
    "string of an array": (
        gguf({"a": array(TEXT, 1, struct.pack("<Q", HUGE))}),
        f"promises {SAID} bytes more",
    ),
    "strings that end early": (
        gguf({"a": array(TEXT, 3, struct.pack("<QQ", 0, 5) + b"abcde")}, alignment=1, data=b"1234567"),
        "promises 1 string more",
    ),
    "too many strings": (
        gguf({"a": array(TEXT, 2**21 + 1, b"\0" * 2**24 + b"\0" * 8)}),
        "2,097,152 are read",
    ),
    "array of arrays": (gguf({"a": array(ARRAY, 1, array(U32, 0))}), "values of type 9"),
    "type unheard of": (gguf({"a": struct.pack("<I", 13)}), "type 13"),
    "not UTF-8": (gguf({"a": struct.pack("<I", TEXT) + text(b"\xff\xfe")}), "not UTF-8"),
    "key twice": (
        gguf({}, value_count=2, alignment=1, data=(text("a") + value(1)) * 2),
        "'a' is there twice",
    ),
    "alignment 0": (gguf({"general.alignment": 0}), "general.alignment is 0"),
    "alignment 48": (gguf({"general.alignment": 48}), "general.alignment is 48"),
    "alignment text": (gguf({"general.alignment": "32"}), "general.alignment is '32'"),
    "five dimensions": (gguf(LLAMA, info={"a": ((1,) * 5, 0, 0)}), "5 dimensions"),
    "billions of dimensions": (
        gguf({}, tensor_count=1, alignment=1, data=text("a") + struct.pack("<I", 2**32 - 1) + b"\0" * 64),
        "4,294,967,295 dimensions",
    ),
    "elements past counting": (gguf(LLAMA, info={"a": ((2**40, 2**40), 0, 0)}), "more than any file holds"),
    "past the end": (gguf(LLAMA, info={"a": ((1024,), 0, 0)}, data=b"\0" * 64), "it was cut off"),
    "offset past the end": (gguf(LLAMA, info={"a": ((1,), 0, 2**40)}, data=b"\0" * 64), "it was cut off"),
    "offset askew": (gguf(LLAMA, info={"a": ((1,), 0, 7)}, data=b"\0" * 64), "no multiple of 32"),
    "on the same bytes": (
        gguf(LLAMA, info={"a": ((16,), 0, 0), "b": ((4,), 0, 32)}, data=b"\0" * 64),
        "the same bytes",
    ),
    "half a block": (gguf(LLAMA, info={"a": ((24,), 8, 0)}, data=b"\0" * 64), "blocks of 32"),
    "cut in the values": (GOOD[:100], "fetch it again"),
    "cut in the weights": (GOOD[:-60], "it was cut off"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_header_gets_one_sentence(lie: str) -> None:
    raw, said = LIES[lie]
    tracemalloc.start()
    with pytest.raises(ClockhandsError) as caught:
        parse_header(raw, "model.gguf")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert peak < 2**20


def test_a_tensor_of_a_type_not_yet_known_is_placed_but_not_measured() -> None:
    entry = parse_header(gguf(LLAMA, info={"a": ((8,), 250, 0)}, data=b"\0" * 32)).tensors["a"]
    assert (entry.type_name, entry.size, entry.shape) == ("", None, (8,))


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "empty.gguf").write_bytes(b"")
    for path, said in (
        (tmp_path / "empty.gguf", "0 bytes"),
        (tmp_path, "folder"),
        (tmp_path / "no", "no such"),
    ):
        with pytest.raises(ClockhandsError, match=said):
            read_header(path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_headers_never_do_worse_than_a_sentence(data: st.DataObject) -> None:
    raw = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(4, len(raw) - 8))
        raw[at : at + 8] = data.draw(
            st.sampled_from([0, 1, 255, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
        ).to_bytes(8, "little")
    try:
        header = parse_header(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
    except ClockhandsError:
        pass  # one sentence; anything else that is raised fails the test
    else:
        assert all(entry.start + (entry.size or 0) <= len(raw) for entry in header.tensors.values())
