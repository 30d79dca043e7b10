"""Headers of safetensors files: honest ones, and ones that lie."""

from __future__ import annotations

import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from clockhands.check.examine import examine
from clockhands.check.read.safetensors_folder import weights_in
from clockhands.check.read.safetensors_header import numbers, read_header
from clockhands.errors import ClockhandsError


def raw(header: Any, data: bytes = b"\0" * 64, *, length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype: Any = "F32", shape: Any = (4,), begin: Any = 0, end: Any = 16) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_what_the_package_writes_is_read(tmp_path: Path) -> None:
    arrays = {"a": np.arange(12, dtype=np.float32).reshape(3, 4), "b": np.float16([1, 2]), "c": np.int64([7])}
    save_file(arrays, tmp_path / "model.safetensors", metadata={"format": "np"})
    tensors = read_header(tmp_path / "model.safetensors")
    assert {name: each.shape for name, each in tensors.items()} == {"a": (3, 4), "b": (2,), "c": (1,)}
    for name, array in arrays.items():
        assert np.array_equal(numbers(tensors[name]), array)
    assert np.array_equal(numbers(tensors["a"], 1, 1), arrays["a"][1:2])


def test_bf16_is_the_upper_half_of_float32(tmp_path: Path) -> None:
    upper = (np.float32([1.5, -2, 3e38]).view(np.uint32) >> 16).astype("<u2").tobytes()
    (tmp_path / "a.safetensors").write_bytes(raw({"a": entry("BF16", [3], 0, 6)}, upper))
    read = numbers(read_header(tmp_path / "a.safetensors")["a"])
    assert read is not None
    assert read[:2].tolist() == [1.5, -2.0]
    assert read[2] == pytest.approx(3e38, rel=2**-8)


LIES = {
    "empty": (b"", "0 bytes"),
    "length of billions": (raw({}, length=2**62), "header of 4.6117e+18 bytes"),
    "length past the end": (raw({}, b"", length=3), "header of 3 bytes"),
    "not JSON": (raw(b"{nope"), "not JSON"),
    "not UTF-8": (raw(b'{"\xff": 1}'), "not JSON"),
    "a list": (raw([1]), "no JSON object"),
    "nested without end": (raw(b"[" * 100_000), "not JSON"),
    "digits without end": (raw(b'{"a": ' + b"9" * 10_000 + b"}"), "not JSON"),
    "a key twice": (raw(b'{"a": 1, "a": 2}'), "'a' twice"),
    "millions of values": (raw(b"[" + b"0," * 1_000_001 + b"0]"), "millions of values"),
    "ten megabytes": (raw(b" " * 10_000_000), "header of 10,000,000 bytes"),
    "entry is a number": (raw({"a": 3}), "no dtype, shape and data_offsets"),
    "shape of texts": (raw({"a": entry(shape=["4"])}), "no dtype, shape and data_offsets"),
    "shape below 0": (raw({"a": entry(shape=[-4])}), "no dtype, shape and data_offsets"),
    "three offsets": (
        raw({"a": {**entry(), "data_offsets": [0, 8, 16]}}),
        "no dtype, shape and data_offsets",
    ),
    "backwards": (raw({"a": entry(begin=16, end=0)}), "bytes 16 to 0"),
    "past the end": (raw({"a": entry(end=2**40, shape=[2**38])}), "it is damaged"),
    "shape of another size": (raw({"a": entry(shape=[5])}), "takes 20 bytes, and it has 16"),
    "shape past counting": (raw({"a": entry(shape=[2**62, 2**62])}), "and it has 16"),
    "on the same bytes": (raw({"a": entry(), "b": entry(begin=8, end=24)}), "the same bytes"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_header_gets_one_sentence(tmp_path: Path, lie: str) -> None:
    data, said = LIES[lie]
    (tmp_path / "a.safetensors").write_bytes(data)
    tracemalloc.start()
    with pytest.raises(ClockhandsError) as caught:
        read_header(tmp_path / "a.safetensors")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert peak < 32 * 2**20  # the header itself has up to 8 MB


def test_types_not_yet_known_are_placed(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(raw({"a": entry("F3", [9], 0, 4)}))
    tensor = read_header(tmp_path / "a.safetensors")["a"]
    assert (tensor.size, numbers(tensor)) == (4, None)


def folder(path: Path, places: Any, **shards: list[str]) -> Path:
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}), encoding="utf-8")
    for shard, names in shards.items():
        header = {name: entry(begin=16 * n, end=16 * n + 16) for n, name in enumerate(names)}
        (path / f"{shard}.safetensors").write_bytes(raw(header))
    return path


def test_shards(tmp_path: Path) -> None:
    places = {"x": "a.safetensors", "y": "b.safetensors"}
    weights = weights_in(folder(tmp_path, places, a=["x", "unlisted"], b=["y"]))
    assert (set(weights.tensors), weights.found) == ({"x", "y"}, ())
    more = {**places, "gone": "b.safetensors", "z": "c.safetensors"}
    weights = weights_in(folder(tmp_path, more))
    assert [each.code for each in weights.found] == ["CH225", "CH225"]
    assert "'c.safetensors'" in weights.found[0].message.en
    assert "'gone'" in weights.found[1].message.en


@pytest.mark.parametrize(
    "shard", ["../a.safetensors", "/etc/passwd", "sub\\a.safetensors", "..", "", "c:a", "a\0b"]
)
def test_an_index_leads_nowhere_else(tmp_path: Path, shard: str) -> None:
    with pytest.raises(ClockhandsError, match="leads out of the folder"):
        weights_in(folder(tmp_path, {"x": shard}))


@pytest.mark.parametrize("text", ["[]", "{}", '{"weight_map": {"a": 1}}', "nope", "[" * 100_000])
def test_an_index_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(text, encoding="utf-8")
    with pytest.raises(ClockhandsError, match="no usable index"):
        weights_in(tmp_path)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(raw({"a": entry()}))
    (tmp_path / "model").mkdir()
    try:
        (tmp_path / "model" / "model.safetensors").symlink_to(tmp_path / "blob")
    except OSError:  # Windows, where links need a right: the file itself then
        (tmp_path / "model" / "model.safetensors").write_bytes((tmp_path / "blob").read_bytes())
    assert set(weights_in(tmp_path / "model").tensors) == {"a"}


def test_pickles_are_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    weights = weights_in(tmp_path)
    assert [(each.code, each.severity) for each in weights.found] == [("CH226", "note")]
    assert weights.tensors == {}
    with pytest.raises(ClockhandsError, match="may run whatever its author put in"):
        examine(tmp_path / "pytorch_model.bin")
    with pytest.raises(ClockhandsError, match="is a pickle"):
        weights_in(folder(tmp_path, {"x": "pytorch_model-1.bin"}))


@settings(max_examples=150)
@given(st.data())
def test_damaged_headers_never_do_worse_than_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.safetensors"
    whole = bytearray(raw({"a": entry(), "b": entry("F16", [8], 16, 32)}))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 65))] = data.draw(
            st.sampled_from(b'\0\x01\xff09"{}[],:-eN')
        )
    path.write_bytes(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    try:
        tensors = read_header(path)
    except ClockhandsError:
        pass  # one sentence; anything else that is raised fails the test
    else:
        assert all(each.start + each.size <= len(whole) for each in tensors.values())
