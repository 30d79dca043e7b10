"""The folder of a trial: what is asked, and a line for each window that was read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.extend.trials.design import Cell, Design
from clockhands.writing import cannot_write, make_folder, written_aside

FORMAT, VERSION = "clockhands-trial", 1
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Row:
    """What one cell found.

    losses     nats of each token that was asked for, ``(asked,)``, in the order of the text
    retrieved  of a passkey: whether every token of it was the first guess
    seconds    that it took
    """

    losses: NDArray[np.float64]
    seconds: float
    retrieved: bool | None = None


@dataclass(frozen=True)
class Store:
    """``trial.json`` says what is asked; ``windows.jsonl`` grows by a line for each window that was read.

    A line is on the disk before the next window is begun, and none is ever changed, so that whoever is killed
    loses the window that was being read. Half a line at the end is what a kill may leave: it counts as none.
    """

    path: Path

    @property
    def design_file(self) -> Path:
        """What is asked."""
        return self.path / "trial.json"

    @property
    def rows_file(self) -> Path:
        """What was found."""
        return self.path / "windows.jsonl"

    def begin(self, design: Design) -> bool:
        """Make the folder and write what is asked; whether it was asked here before, and is gone on with.

        Raises ClockhandsError where the folder holds something else.
        """
        make_folder(self.path)
        if os.path.lexists(self.design_file):
            if _plain(self.design()) != _plain(design):
                raise ClockhandsError(
                    f"{self.path} holds a trial of another model, text, length or choice of methods: give "
                    "another folder with -o",
                    f"{self.path} 里的试验用的是另一个模型、文本、长度或方法：请用 -o 给出别的目录",
                )
            return True
        if os.path.lexists(self.rows_file):
            raise ClockhandsError(
                f"{self.rows_file} is there already and belongs to no trial: give another folder with -o",
                f"{self.rows_file} 已经存在，而且不属于任何试验：请用 -o 给出别的目录",
            )
        with written_aside(self.design_file, lasting=True) as aside:
            about = {"format": FORMAT, "version": VERSION, "design": design.to_json()}
            aside.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")
        return False

    def design(self) -> Design:
        """What was asked. ClockhandsError where the folder holds no trial, or a damaged one."""
        if not self.design_file.exists():
            raise ClockhandsError(
                f"{self.path} holds no trial (no {self.design_file.name}): give the folder that --try wrote",
                f"{self.path} 里没有试验（缺 {self.design_file.name}）：请给出 --try 写出的目录",
            )
        try:
            about = json.loads(self.design_file.read_bytes())
            if (about["format"], about["version"]) != (FORMAT, VERSION):
                raise ValueError(about["version"])
            return Design.from_json(about["design"])
        except _UNREADABLE as error:
            raise _damaged(self.design_file) from error

    def add(self, cell: Cell, row: Row) -> None:
        """Keep what a cell found; on the disk when this returns."""
        values = {
            "cell": cell.id, "losses": [round(float(each), 5) for each in row.losses],
            "seconds": round(row.seconds, 3),
        }  # fmt: skip
        if row.retrieved is not None:
            values["retrieved"] = row.retrieved
        line = json.dumps(values, allow_nan=False) + "\n"
        try:
            with self.rows_file.open("ab") as file:
                if file.tell() and not self._ends_whole():
                    line = "\n" + line
                file.write(line.encode("ascii"))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self.rows_file, error) from error

    def rows(self, design: Design) -> dict[Cell, Row]:
        """What was found so far, in the order of the cells."""
        asked = {cell.id: cell for cell in design.cells()}
        found: dict[str, Row] = {}
        for line in self._lines():
            values = _read(line)
            if values is None:
                continue
            try:
                row = Row(np.array(values["losses"], np.float64), values["seconds"], values.get("retrieved"))
                found.setdefault(values["cell"], row)
            except _UNREADABLE as error:
                raise _damaged(self.rows_file) from error
        return {cell: found[id] for id, cell in asked.items() if id in found}

    def _lines(self) -> list[bytes]:
        try:
            return self.rows_file.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _damaged(self.rows_file) from error

    def _ends_whole(self) -> bool:
        with self.rows_file.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"


def _read(line: bytes) -> Mapping[str, Any] | None:
    """The values of a line; None for half a one."""
    try:
        values = json.loads(line)
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _plain(design: Design) -> Any:
    return json.loads(json.dumps(design.to_json()))


def _damaged(file: Path) -> ClockhandsError:
    return ClockhandsError(
        f"{file} is missing or damaged: try again in another folder",
        f"{file} 缺失或已损坏：请在别的目录重新试验",
    )
