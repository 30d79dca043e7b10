"""The folder of a comparison: what was asked, what was promised beforehand, and one file a finished cell."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import Cell, cells
from clockhands.experiments.design import Design
from clockhands.experiments.promise import promise
from clockhands.experiments.rows import Row
from clockhands.writing import cannot_write, written_aside

FORMAT, VERSION = "clockhands-comparison", 1

_UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Store:
    """Names and formats of the files.

    ``preregistration.json``, written before ``design.json``, which makes the folder a comparison;
    ``text.txt`` where a task reads one; ``cells/ID.json``, each written aside and renamed, so that whoever
    is killed loses no more than the cell that was running. Nothing written is ever changed.
    """

    path: Path

    @property
    def design_file(self) -> Path:
        """What was asked."""
        return self.path / "design.json"

    @property
    def promise_file(self) -> Path:
        """What was promised before the first step."""
        return self.path / "preregistration.json"

    @property
    def text_file(self) -> Path:
        """The text that a task reads."""
        return self.path / "text.txt"

    def cell_file(self, cell: Cell) -> Path:
        """Where the numbers of a cell are."""
        return self.path / "cells" / f"{cell.id}.json"

    def begin(self, design: Design) -> None:
        """Make the folder and write what is asked and promised. ClockhandsError if one is there already."""
        for file in (self.design_file, self.promise_file, self.text_file):
            if os.path.lexists(file):
                raise ClockhandsError(
                    f"{file} is there already: go on with --resume, or give another folder",
                    f"{file} 已经存在：请用 --resume 继续，或换一个目录",
                )
        try:
            (self.path / "cells").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.path, error) from error
        if "characters" in design.tasks:
            with written_aside(self.text_file) as aside:
                aside.write_bytes(design.text.encode())
        _write_json(self.promise_file, promise(design))
        _write_json(self.design_file, {"format": FORMAT, "version": VERSION, "design": design.to_json()})

    def design(self) -> Design:
        """What was asked. ClockhandsError if the folder holds no comparison, or a damaged one."""
        if not self.design_file.exists():
            raise ClockhandsError(
                f"{self.path} holds no comparison (no {self.design_file.name}): "
                "give the folder that clockhands compare wrote",
                f"{self.path} 里没有比较结果（缺 {self.design_file.name}）："
                "请给出 clockhands compare 写出的目录",
            )
        try:
            about = json.loads(self.design_file.read_bytes())
            if (about["format"], about["version"]) != (FORMAT, VERSION):
                raise ValueError(about["version"])
            reads_text = "characters" in about["design"]["tasks"]
            text = self.text_file.read_bytes().decode() if reads_text else ""
            return Design.from_json(about["design"], text)
        except _UNREADABLE as error:
            raise _damaged(self.design_file) from error

    def save(self, cell: Cell, row: Row) -> None:
        """Keep the numbers of a cell; on the disk when this returns."""
        _write_json(self.cell_file(cell), row.to_json())

    def row(self, cell: Cell) -> Row | None:
        """The numbers of a cell, None where it has not ended. ClockhandsError for a damaged file."""
        file = self.cell_file(cell)
        if not file.exists():
            return None
        try:
            row = Row.from_json(json.loads(file.read_bytes()))
        except _UNREADABLE as error:
            raise _damaged(file) from error
        if row.id != cell.id:
            raise _damaged(file)
        return row

    def missing(self, design: Design) -> Iterator[Cell]:
        """The cells that have not ended, in their order."""
        return (cell for cell in cells(design) if not self.cell_file(cell).exists())

    def rows(self, design: Design) -> list[Row]:
        """Of all cells that ended, in their order."""
        return [row for cell in cells(design) if (row := self.row(cell)) is not None]


def _damaged(file: Path) -> ClockhandsError:
    return ClockhandsError(
        f"{file} is missing or damaged: delete it and use --resume, or compare anew in another folder",
        f"{file} 缺失或已损坏：请删除它再用 --resume，或在新的目录重新比较",
    )


def _write_json(path: Path, content: Any) -> None:
    with written_aside(path, lasting=True) as aside:
        aside.write_text(json.dumps(content, ensure_ascii=False, allow_nan=False), encoding="utf-8")
