"""Reading numbers from files: what is right comes in exactly, what is wrong or hostile is refused."""

from __future__ import annotations

import errno
import json
import os
import re
import struct
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy
from safetensors.numpy import save_file

from clockhands.analysis.export import save
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.catalogue import describe
from clockhands.catalogue.reading import read_array
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Text

TABLE = np.asarray([[1.5, -2.0, 3.0], [0.1, 1e-300, 1e300]])


def refusal(path: Path | str, name: str | None = None) -> str:
    with pytest.raises(ClockhandsError) as caught:
        read_array(path, name)
    assert caught.value.text.zh != caught.value.text.en
    return str(caught.value)


# what is right -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32, np.uint8, ">f4"])
def test_npy(tmp_path: Path, dtype: str) -> None:
    for order in ("C", "F"):
        values = np.asarray([[1, 2, 3], [4, 5, 6]], dtype=dtype, order=order)
        np.save(tmp_path / "a.npy", values)
        read = read_array(tmp_path / "a.npy")
        assert read.dtype == np.float64
        assert read.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_newer_npy_headers(tmp_path: Path) -> None:
    for version in ((2, 0), (3, 0)):
        with (tmp_path / "a.npy").open("wb") as file:
            npy.write_array(file, TABLE, version=version)
        np.testing.assert_array_equal(read_array(tmp_path / "a.npy"), TABLE)


def test_npz_with_one_array_or_a_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", TABLE)
    np.testing.assert_array_equal(read_array(tmp_path / "one.npz"), TABLE)
    np.savez_compressed(tmp_path / "two.npz", first=TABLE, second=TABLE + 1)
    np.testing.assert_array_equal(read_array(tmp_path / "two.npz", "second"), TABLE + 1)
    np.testing.assert_array_equal(read_array(f"{tmp_path / 'two.npz'}#second"), TABLE + 1)
    assert "holds 2 arrays (first, second): choose one, as in two.npz#first" in refusal(tmp_path / "two.npz")
    assert "no array 'secund': did you mean 'second'" in refusal(tmp_path / "two.npz", "secund")


def test_the_data_twin_of_a_picture_is_its_one_array(tmp_path: Path) -> None:
    axes = {"table.axis0": np.arange(2), "table.axis1": np.arange(3)}
    np.savez(tmp_path / "twin.npz", about=np.asarray("{}"), table=TABLE, **axes)
    np.testing.assert_array_equal(read_array(tmp_path / "twin.npz"), TABLE)


@pytest.mark.parametrize("start", ["", "a, b, c\n", "\ufeff", "\n\n"])
def test_csv(tmp_path: Path, start: str) -> None:
    text = start + "\n".join(", ".join(map(repr, row)) for row in TABLE.tolist()) + "\n\n"
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    np.testing.assert_array_equal(read_array(tmp_path / "a.csv"), TABLE)


def test_safetensors(tmp_path: Path) -> None:
    small = np.asarray([[0.1, 2.0]], np.float32)
    save_file({"w": small}, tmp_path / "one.safetensors")
    np.testing.assert_array_equal(read_array(tmp_path / "one.safetensors"), small)
    save_file({"w": TABLE, "n": np.arange(3)}, tmp_path / "two.safetensors")
    assert read_array(tmp_path / "two.safetensors", "n").tolist() == [0, 1, 2]
    assert "holds 2 arrays" in refusal(tmp_path / "two.safetensors")


def test_endings_in_capitals_and_sharps_in_names(tmp_path: Path) -> None:
    np.save(tmp_path / "C#.npy", TABLE)
    (tmp_path / "C#.npy").rename(tmp_path / "C#.NPY")
    np.testing.assert_array_equal(read_array(tmp_path / "C#.NPY"), TABLE)


# what is wrong -----------------------------------------------------------------------------------


def test_missing_and_of_another_kind(tmp_path: Path) -> None:
    assert "there is no file" in refusal(tmp_path / "nothing.npy")
    assert "there is no file" in refusal(tmp_path / "nothing.npz#a")
    (tmp_path / "folder.npy").mkdir()
    assert "there is no file" in refusal(tmp_path / "folder.npy")
    assert "ends in '.txt', but arrays are read from .npy, .npz, .csv" in refusal("a.txt")
    assert "ends in ''" in refusal("array")


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv", ".safetensors"])
@pytest.mark.parametrize("content", [b"", b"\x80\x04\x95 pickle", b"\xff\xfe\x00\x01" * 40, b"<html>\n"])
def test_content_that_is_something_else(tmp_path: Path, ending: str, content: bytes) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(content)
    assert path.name in refusal(path)


@pytest.mark.parametrize("ending", [".npy", ".npz", ".safetensors"])
def test_a_file_cut_short(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    if ending == ".npy":
        np.save(path, TABLE)
    elif ending == ".npz":
        np.savez(path, TABLE)
    else:
        save_file({"w": TABLE}, path)
    path.write_bytes(path.read_bytes()[:-9])
    assert path.name in refusal(path)


@pytest.mark.parametrize(("value", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
@pytest.mark.parametrize("ending", [".npy", ".csv"])
def test_numbers_must_be_finite(tmp_path: Path, value: float, shown: str, ending: str) -> None:
    path, table = tmp_path / f"a{ending}", TABLE.copy()
    table[1, 2] = value
    if ending == ".npy":
        np.save(path, table)
    else:
        np.savetxt(path, table, delimiter=",")
    assert refusal(path).startswith(f"a{ending} has {shown} at index [1, 2]")


def test_no_numbers_at_all(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((0, 3)))
    assert "empty (shape (0, 3))" in refusal(tmp_path / "a.npy")
    (tmp_path / "a.csv").write_text("only, names\n", encoding="utf-8")
    assert "empty" in refusal(tmp_path / "a.csv")
    np.savez(tmp_path / "a.npz")
    assert "holds no arrays" in refusal(tmp_path / "a.npz")
    np.save(tmp_path / "a.npy", np.asarray(["a", "b"]))
    assert "not real numbers" in refusal(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.asarray([1j]))
    assert "not real numbers" in refusal(tmp_path / "a.npy")


def test_csv_says_where_it_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2\n\n3,four\n", encoding="utf-8")
    assert "has 'four' in line 3" in refusal(path)
    path.write_text("1,2\n3,4\n5\n", encoding="utf-8")
    assert "1 numbers in line 3 but 2 in its first" in refusal(path)
    path.write_bytes("1,2\n三,4\n".encode("gb18030"))
    assert "isn't a readable .csv file" in refusal(path)


def test_a_name_for_a_file_that_has_none(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", TABLE)
    (tmp_path / "a.csv").write_text("1\n", encoding="utf-8")
    for ending in ("npy", "csv"):
        assert "leave the name out" in refusal(tmp_path / f"a.{ending}", "w")


# what is hostile -------------------------------------------------------------------------------------


def npy_header(shape: tuple[int, ...], dtype: str = "<f8") -> bytes:
    text = repr({"descr": dtype, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize("shape", [(10**15,), (2, 10**18), (2**40, 2**40), (4,)])
def test_a_header_that_promises_more_than_is_there(tmp_path: Path, shape: tuple[int, ...]) -> None:
    (tmp_path / "a.npy").write_bytes(npy_header(shape) + b"\0" * 24)
    assert "but only 24 are there" in refusal(tmp_path / "a.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("w.npy", npy_header(shape) + b"\0" * 24)
    assert "but only 24 are there" in refusal(tmp_path / "a.npz")


@pytest.mark.parametrize("shape", ["(-4,)", "(True,)", "(1.5,)", "(1,) * 99999999", "{}", "(0, 9**999)"])
def test_headers_of_nonsense(tmp_path: Path, shape: str) -> None:
    header = npy_header((1,)).replace(b"(1,)", shape.encode(), 1)
    (tmp_path / "a.npy").write_bytes(header + b"\0" * 64)
    refusal(tmp_path / "a.npy")


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (os.mkdir, (str(tmp_path / "sprung"),))

    np.save(tmp_path / "a.npy", np.asarray([Trap()], dtype=object), allow_pickle=True)
    assert "pickled Python objects" in refusal(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", w=np.asarray([Trap()], dtype=object))
    assert "pickled Python objects" in refusal(tmp_path / "a.npz")
    assert not (tmp_path / "sprung").exists()


def test_bigger_than_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = np.ones((100, 100))
    np.save(tmp_path / "a.npy", big)
    np.savez_compressed(tmp_path / "a.npz", big)
    np.savetxt(tmp_path / "a.csv", big, delimiter=",")
    save_file({"w": big}, tmp_path / "a.safetensors")
    monkeypatch.setattr("clockhands.memory.available_bytes", lambda: 50_000)
    for ending in ("npy", "npz", "csv", "safetensors"):
        assert "but this machine has 50 kB free" in refusal(tmp_path / f"a.{ending}")


def test_safetensors_that_numpy_cannot_hold(tmp_path: Path) -> None:
    header = json.dumps({"w": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 4)
    assert "type BF16, which numpy doesn't know" in refusal(tmp_path / "a.safetensors")


def test_without_safetensors_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.safetensors").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtra, match=r"clockhands\[torch\]"):
        read_array(tmp_path / "a.safetensors")


def test_a_data_twin_reads_back_as_its_numbers(tmp_path: Path) -> None:
    table = describe("sinusoidal", dim=6).table(np.arange(5))
    rows, columns = (Axis(Text(name, name), np.arange(size)) for name, size in (("p", 5), ("d", 6)))
    twin = Labelled("table", Text("value", "数值"), table, (rows, columns))
    save(tmp_path / "one.csv", twin)
    np.testing.assert_array_equal(read_array(tmp_path / "one.csv"), table)
    save(tmp_path / "two.csv", twin, replace(twin, id="again"))
    assert "holds 2 arrays, but one is needed" in refusal(tmp_path / "two.csv")


def test_reasons_of_the_system_are_said_in_both_languages(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.npy").write_bytes(b"x")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(ClockhandsError) as caught:
        read_array(tmp_path / "a.npy")
    assert "permission denied" in caught.value.text.en
    assert "没有权限" in caught.value.text.zh


# what is damaged ---------------------------------------------------------------------------------


def npy_bytes(header: str) -> bytes:
    content = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(content)) + content + b"\0" * 64


HEADERS = {
    "truncated": "{'descr': '<f8', 'fortran_order': False, 'shape': (2",
    "unhashable key": "{[]: 1}",
    "keys that can't be sorted": "{1: 2, 'a': 3}",
    "no type": "{'descr': (), 'fortran_order': False, 'shape': (2,)}",
    "signs without end": "-" * 9000 + "1",
    "brackets without end": "(" * 9000,
    "too many axes": f"{{'descr': '<f8', 'fortran_order': False, 'shape': {(1,) * 65}}}",
    "a type of nonsense": "{'descr': [('a', '<f8', 2, 3)], 'fortran_order': False, 'shape': (2,)}",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_damaged_header(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.npy").write_bytes(npy_bytes(header))
    assert "isn't a readable .npy file: it is damaged" in refusal(tmp_path / "a.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("w.npy", npy_bytes(header))
    assert "isn't a readable .npy file: it is damaged" in refusal(tmp_path / "a.npz")


def test_a_header_that_python_2_wrote(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (8L,)}"))
    assert read_array(tmp_path / "a.npy").tolist() == [0.0] * 8


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_whose_bytes_are_damaged(tmp_path: Path, packing: int) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr("w.npy", npy_header((50,)) + np.arange(50.0).tobytes())
    content = bytearray(path.read_bytes())
    start = 30 + len("w.npy") + (9 if packing == zipfile.ZIP_LZMA else 0)
    content[start : start + 40] = b"\xff" * 40
    path.write_bytes(content)
    assert re.search(r"a\.npz.* isn't a readable \.np[yz] file: it is damaged", refusal(path))


def test_a_member_that_is_encrypted_or_packed_in_an_unknown_way(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, TABLE)
    whole = path.read_bytes()
    central = whole.index(b"PK\x01\x02")
    for place, value in ((8, 1), (10, 98)):  # flag bit 0: encrypted; method 98: PPMd
        content = bytearray(whole)
        content[central + place] = content[place - 2] = value
        path.write_bytes(content)
        assert "isn't a readable .npz file: it is damaged or of another kind" in refusal(path)


def test_a_tensor_of_more_axes_than_numpy_has(tmp_path: Path) -> None:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1] * 70, "data_offsets": [0, 4]}}).encode()
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 4)
    assert "isn't a readable .safetensors file" in refusal(tmp_path / "a.safetensors")


def test_a_cell_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1" * 200_000, encoding="utf-8")
    assert "isn't a readable .csv file" in refusal(tmp_path / "a.csv")


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv", ".safetensors"])
def test_any_byte_may_be_wrong(tmp_path: Path, ending: str) -> None:
    """Whatever the damage, numbers come out or one sentence does; nothing else is raised."""
    path, chance = tmp_path / f"a{ending}", np.random.default_rng(0)
    if ending == ".npy":
        np.save(path, TABLE)
    elif ending == ".npz":
        np.savez_compressed(path, TABLE)
    elif ending == ".csv":
        np.savetxt(path, TABLE, delimiter=",")
    else:
        save_file({"w": TABLE}, path)
    whole = path.read_bytes()
    refused = 0
    for _ in range(150):
        content = bytearray(whole)
        for place in chance.integers(0, len(whole), chance.integers(1, 4)):
            content[place] = chance.integers(0, 256)
        path.write_bytes(content)
        try:
            assert np.isfinite(read_array(path)).all()
        except ClockhandsError:
            refused += 1
    assert refused > 10


def test_room_is_needed_for_every_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes of the file, the same as float64, and what a description keeps."""
    np.save(tmp_path / "a.npy", np.ones((100, 100)))
    save_file({"w": np.ones((100, 100))}, tmp_path / "a.safetensors")
    for ending in ("npy", "safetensors"):
        monkeypatch.setattr("clockhands.memory.available_bytes", lambda: 239_999)
        assert "needs 240 kB" in refusal(tmp_path / f"a.{ending}")
        monkeypatch.setattr("clockhands.memory.available_bytes", lambda: 240_000)
        assert read_array(tmp_path / f"a.{ending}").shape == (100, 100)


def test_wider_than_float64(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.asarray([np.longdouble("1e400")]))
    assert "has inf at index [0]" in refusal(tmp_path / "a.npy")
