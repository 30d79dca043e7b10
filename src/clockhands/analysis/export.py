"""The exact file twin of a result: ``.npz`` for programs, ``.csv`` for people and spreadsheets.

Both keep every number to its last bit, every label, name, unit and note; ``load`` gives back what ``save``
got.

``.npz``: the arrays under their ids, numeric axes under ``<id>.axis0`` ..., and ``about``, a JSON text with
the names, units, notes and labels. No pickle.

``.csv``: one block per array, blocks apart by an empty line. A block is a line ``# {JSON: names, units,
dtypes}``, a header, and rows; the last axis runs along the header, the others are the leading columns. Labels
that a spreadsheet might run as a formula are written with an apostrophe in front.
"""

from __future__ import annotations

import csv
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError, reason_of
from clockhands.language import Text
from clockhands.writing import file_path, written_aside

Values: TypeAlias = NDArray[Any]
About: TypeAlias = dict[str, Any]

FORMULA_STARTS = tuple("=+-@\t\r\n'＝＋－＠")
"""First characters that a spreadsheet may take for a formula, and the apostrophe that marks an escaped label.
"""


def save(path: str | os.PathLike[str], *labelled: Labelled) -> Path:
    """Write results to ``path``, whose ending says how: ``.npz`` or ``.csv``. Returns the path.

    The file is written aside and renamed, so one that is already there stays whole if anything fails.
    ClockhandsError: another ending, two results with one id, values that are not numbers, or a place that
    can't be written.
    """
    path = file_path(path)
    write = _of_ending(path, {".npz": _save_npz, ".csv": _save_csv})
    ids = [one.id for one in labelled]
    if len(set(ids)) < len(ids):
        raise ClockhandsError(f"two results share one id: {ids}", f"有两个结果的 id 相同：{ids}")
    for one in labelled:
        if one.values.size == 0:
            raise ClockhandsError(
                f"{one.id} is empty: there is nothing to save", f"{one.id} 是空的：没有可保存的内容"
            )
        if one.values.dtype.kind not in "biuf":
            raise ClockhandsError(
                f"{one.id} holds {one.values.dtype}: only bool, int and float arrays can be saved",
                f"{one.id} 的类型是 {one.values.dtype}：只能保存布尔、整数和浮点数组",
            )
    with written_aside(path) as aside:
        write(aside, labelled)
    return path


def load(path: str | os.PathLike[str]) -> tuple[Labelled, ...]:
    """Read what ``save`` wrote. ClockhandsError if the file is not there or was not written by ``save``."""
    path = file_path(path)
    read = _of_ending(path, {".npz": _load_npz, ".csv": _load_csv})
    try:
        return read(path)
    except OSError as error:
        reason = reason_of(error)
        raise ClockhandsError(
            f"{path} can't be read: {reason.en}", f"无法读取 {path}：{reason.zh}"
        ) from error
    except (
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        StopIteration,
        csv.Error,
        zipfile.BadZipFile,
    ) as error:
        raise ClockhandsError(
            f"{path} was not written by clockhands, or is damaged: save the result again",
            f"{path} 不是 clockhands 写出的文件，或已损坏：请重新保存结果",
        ) from error


def require_format(path: str | os.PathLike[str]) -> Path:
    """``path``, if its ending is one that ``save`` knows; ClockhandsError if not."""
    path = file_path(path)
    _of_ending(path, {".npz": _save_npz, ".csv": _save_csv})
    return path


def _of_ending(path: Path, choices: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    choice = choices.get(path.suffix.lower())
    if choice is None:
        raise ClockhandsError(
            f"'{path.name}' does not end in .npz or .csv: data files are one of the two",
            f"“{path.name}”的扩展名不是 .npz 或 .csv：数据文件只能是这两种",
        )
    return choice


# --- what both formats say about an array


def _about(one: Labelled, *, with_labels: bool) -> About:
    return {
        "id": one.id,
        "name": one.name,
        "unit": one.unit,
        "note": one.note,
        "dtype": one.values.dtype.str,
        "axes": [_about_axis(axis, with_labels) for axis in one.axes],
    }


def _about_axis(axis: Axis, with_labels: bool) -> About:
    about: About = {"name": axis.name, "unit": axis.unit, "length": len(axis.values), "dtype": "labels"}
    if axis.values.dtype.kind in "biuf":
        about["dtype"] = axis.values.dtype.str
    elif with_labels:
        about["labels"] = [str(label) for label in axis.values]
    return about


def _axis(about: About, values: Values) -> Axis:
    return Axis(Text(*about["name"]), values, Text(*about["unit"]))


def _result(about: About, values: Values, axes: list[Axis]) -> Labelled:
    return Labelled(
        about["id"], Text(*about["name"]), values, tuple(axes), Text(*about["unit"]), Text(*about["note"])
    )


def _labels(labels: list[str]) -> Values:
    """Labels as Python strings: numpy's own would drop a NUL at the end and pad all to the longest."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


# --- npz


def _save_npz(path: Path, labelled: tuple[Labelled, ...]) -> None:
    arrays: dict[str, Values] = {}
    for one in labelled:
        arrays[one.id] = one.values
        for index, axis in enumerate(one.axes):
            if axis.values.dtype.kind in "biuf":
                arrays[f"{one.id}.axis{index}"] = axis.values
    about = json.dumps([_about(one, with_labels=True) for one in labelled])
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=np.array(about), **arrays)


def _load_npz(path: Path) -> tuple[Labelled, ...]:
    with path.open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
        results: list[Labelled] = []
        for about in json.loads(str(arrays["about"])):
            axes = [
                _axis(
                    axis,
                    _labels(axis["labels"]) if "labels" in axis else arrays[f"{about['id']}.axis{index}"],
                )
                for index, axis in enumerate(about["axes"])
            ]
            results.append(_result(about, arrays[about["id"]], axes))
        return tuple(results)


# --- csv


def _save_csv(path: Path, labelled: tuple[Labelled, ...]) -> None:
    # The mark at the start (BOM) makes spreadsheets read the Chinese right; surrogatepass keeps broken tokens
    # whole.
    with path.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
        writer = csv.writer(file)
        for index, one in enumerate(labelled):
            if index:
                writer.writerow([])
            writer.writerow(["# " + json.dumps(_about(one, with_labels=False), ensure_ascii=False)])
            writer.writerows(_block(one))


def _block(one: Labelled) -> Iterator[list[str]]:
    """Header and rows."""
    depth = _leading(len(one.axes))
    leading, along = one.axes[:depth], one.axes[depth:]
    yield [axis.name.en for axis in leading] + (_cells(along[0].values) if along else [one.name.en])
    columns = [_cells(axis.values) for axis in leading]
    grid = one.values.reshape(-1, len(along[0].values) if along else 1)
    for place, row in zip(np.ndindex(one.values.shape[:depth]), grid, strict=True):
        yield [column[index] for column, index in zip(columns, place, strict=True)] + _cells(row)


def _load_csv(path: Path) -> tuple[Labelled, ...]:
    with path.open(encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
        reader = csv.reader(file)
        return tuple(_read_block(json.loads(line[0].removeprefix("# ")), reader) for line in reader if line)


def _read_block(about: About, reader: Iterator[list[str]]) -> Labelled:
    lengths: list[int] = [axis["length"] for axis in about["axes"]]
    depth = _leading(len(lengths))
    header = next(reader)
    lines = [next(reader) for _ in range(prod(lengths[:depth]))]
    values = _numbers([cell for line in lines for cell in line[depth:]], about["dtype"]).reshape(lengths)
    axes: list[Axis] = []
    for index, axis in enumerate(about["axes"]):
        repeat = prod(lengths[index + 1 : depth])
        column = (
            [line[index] for line in lines[::repeat][: lengths[index]]] if index < depth else header[depth:]
        )
        labels = axis["dtype"] == "labels"
        axes.append(
            _axis(axis, _labels(list(map(_unescaped, column))) if labels else _numbers(column, axis["dtype"]))
        )
    return _result(about, values, axes)


def _leading(axes: int) -> int:
    """How many axes are leading columns: all but the last, but a single axis is a column too."""
    return max(axes - 1, min(axes, 1))


def _cells(values: Values) -> list[str]:
    """Shortest text that reads back as the same number; labels made safe."""
    if values.dtype == np.float64:
        return [repr(value) for value in values.tolist()]
    if values.dtype.kind in "biuf":
        return [str(value) for value in values]
    return [_escaped(str(label)) for label in values]


def _numbers(cells: list[str], dtype: str) -> Values:
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([{"True": True, "False": False}[cell] for cell in cells], dtype=kind)
    read: Callable[[str], Any] = int if kind.kind in "iu" else kind.type
    return np.array([read(cell) for cell in cells], dtype=kind)


def _escaped(label: str) -> str:
    return "'" + label if label.startswith(FORMULA_STARTS) else label


def _unescaped(cell: str) -> str:
    return cell.removeprefix("'")
