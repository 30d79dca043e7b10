"""The folder of a comparison: what was asked, what was promised beforehand, and the cells that ended."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clockhands.errors import ClockhandsError, reason_of
from clockhands.experiments.cells import Cell, cells
from clockhands.experiments.design import Design
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.promise import promise
from clockhands.experiments.rows import Row
from clockhands.writing import cannot_write, make_folder, written_aside

FORMAT, VERSION = "clockhands-comparison", 2

_UNREADABLE = (
    OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, zlib.error,
)  # fmt: skip
_PATIENCE = 60.0  # seconds that one process waits for another to end its writing
_TABLE = """
CREATE TABLE IF NOT EXISTS cells
(id TEXT PRIMARY KEY, stage TEXT, scheme TEXT, task TEXT, seed INTEGER, row BLOB NOT NULL) WITHOUT ROWID
"""


@dataclass(frozen=True)
class Store:
    """Names and formats of the files.

    ``preregistration.json``, written before ``design.json``, which makes the folder a comparison;
    ``text.txt`` where a task reads one (a recipe keeps no text); ``cells.sqlite``, one row a cell that ended:
    its JSON, packed with zlib. A row is added in one transaction and never changed, so that whoever is killed
    loses no finished cell and two processes can't harm each other's. ``running/ID/`` holds the state of a
    cell that has not ended.
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

    @property
    def cells_file(self) -> Path:
        """The cells that ended."""
        return self.path / "cells.sqlite"

    @property
    def files(self) -> tuple[Path, ...]:
        """All that it is made of."""
        return self.design_file, self.promise_file, self.text_file, self.cells_file

    def running(self, cell: Cell) -> Path:
        """Where the state of a cell is while it runs."""
        return self.path / "running" / cell.id

    def begin(
        self, design: Design, hypotheses: tuple[Hypothesis, ...] = (), *, keep_text: bool = True
    ) -> None:
        """Make the folder and write what is asked and promised. ClockhandsError if one is there already.

        keep_text  False: whoever goes on gives the text again
        """
        self.require_free()
        make_folder(self.path)
        _write_json(self.promise_file, promise(design, hypotheses))
        if design.text_sha256 is not None and keep_text:
            with written_aside(self.text_file, lasting=True) as aside:
                aside.write_bytes(design.text.encode())
        _write_json(self.design_file, {"format": FORMAT, "version": VERSION, "design": design.to_json()})

    def require_free(self) -> None:
        """Raise ClockhandsError where something is there that would be written over."""
        for file in (self.design_file, self.promise_file, self.text_file):
            if os.path.lexists(file) and not self._half_begun():
                raise ClockhandsError(
                    f"{file} is there already: go on with --resume, or give another folder",
                    f"{file} 已经存在：请用 --resume 继续，或换一个目录",
                )

    def _half_begun(self) -> bool:
        """Whether this was stopped after the promise, which is written first, and before the design."""
        if os.path.lexists(self.design_file) or os.path.lexists(self.cells_file):
            return False
        try:
            return bool(self.promised()["cells"])
        except (ClockhandsError, *_UNREADABLE):
            return False

    def design(self, text: str | None = None) -> Design:
        """What was asked. ClockhandsError if the folder holds no comparison, or a damaged one.

        text  what its tasks read, where the folder keeps none; without it a design can be reported but not
              carried out
        """
        self._require_begun()
        asked = self._asked()
        if text is None:
            text = self._text(asked)
        begun_with = asked.get("text_sha256")
        if text and begun_with is not None and hashlib.sha256(text.encode()).hexdigest() != begun_with:
            raise ClockhandsError(
                f"the comparison in {self.path} was begun with another text: give that, or another folder",
                f"{self.path} 里的比较开始时读的是另一个文本：请给出那个文本，或换一个目录",
            )
        try:
            return Design.from_json(asked, text)
        except ClockhandsError as error:  # a scheme that is not installed here, or a value that was changed
            raise _said_of(self.design_file, error) from error
        except _UNREADABLE as error:
            raise _damaged(self.design_file) from error

    def _require_begun(self) -> None:
        if not self.design_file.exists():
            raise ClockhandsError(
                f"{self.path} holds no comparison (no {self.design_file.name}): "
                "give the folder that clockhands compare wrote",
                f"{self.path} 里没有比较结果（缺 {self.design_file.name}）："
                "请给出 clockhands compare 写出的目录",
            )

    def _asked(self) -> dict[str, Any]:
        """The design as plain values, which are those that were promised."""
        try:
            about = json.loads(_content(self.design_file))
            if (about["format"], about["version"]) != (FORMAT, VERSION):
                raise ValueError(about["version"])
            asked = dict(about["design"])
        except Unreadable:
            raise
        except _UNREADABLE as error:
            raise _damaged(self.design_file) from error
        if self.promised()["design"] != asked:
            raise ClockhandsError(
                f"{self.design_file} is not the design of {self.promise_file.name}, which was written before "
                "the first step: restore it, or compare anew in another folder",
                f"{self.design_file} 与第一步训练之前写下的 {self.promise_file.name} 中的设计不同："
                "请恢复它，或在新的目录重新比较",
            )
        return asked

    def _text(self, asked: dict[str, Any]) -> str:
        """What the tasks read; empty where the folder keeps none."""
        if not self.text_file.exists():
            return ""
        content = _content(self.text_file)
        if hashlib.sha256(content).hexdigest() != asked.get("text_sha256"):
            raise _damaged(self.text_file)
        return content.decode()

    def promised(self) -> dict[str, Any]:
        """The pre-registration as it was written. ClockhandsError if it is missing or damaged."""
        try:
            found = dict(json.loads(_content(self.promise_file)))
            if not isinstance(found["design"], dict) or not isinstance(found["written"], str):
                raise TypeError(found)
            for one in found["hypotheses"]:
                Hypothesis.from_json(one)
            return found
        except Unreadable:
            raise
        except _UNREADABLE as error:
            raise _damaged(self.promise_file) from error

    def save(self, cell: Cell, row: Row) -> None:
        """Keep the numbers of a cell; on the disk when this returns. A cell that is there already stays.

        ClockhandsError where that can't be, or the folder was moved away meanwhile.
        """
        self._require_begun()
        content = zlib.compress(json.dumps(row.to_json(), ensure_ascii=False, allow_nan=False).encode(), 9)
        values = (cell.id, row.stage, row.scheme, row.task, row.seed, content)
        try:
            with self._opened() as connection, connection:
                connection.execute(_TABLE)
                connection.execute("INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?)", values)
        except sqlite3.OperationalError as error:  # a full disk, a folder that can't be written
            raise cannot_write(self.cells_file, _of_system(error, self.cells_file)) from error
        except sqlite3.DatabaseError as error:
            raise _damaged(self.cells_file) from error

    def row(self, cell: Cell) -> Row | None:
        """The numbers of a cell, None where it has not ended. ClockhandsError for a damaged file."""
        return next(iter(self._read("SELECT id, row FROM cells WHERE id = ?", cell.id)), None)

    def finished(self) -> set[str]:
        """Ids of all cells that ended."""
        return {id for id, _ in self._select("SELECT id, '' FROM cells")}

    def missing(self, design: Design) -> Iterator[Cell]:
        """The cells that have not ended, in their order."""
        there = self.finished()
        return (cell for cell in cells(design) if cell.id not in there)

    def rows(self, design: Design) -> list[Row]:
        """Of all cells that ended, in their order."""
        there = {row.id: row for row in self._read("SELECT id, row FROM cells")}
        found = [(cell, there[cell.id]) for cell in cells(design) if cell.id in there]
        if not all(_is_of(row, cell, design) for cell, row in found) or not _as_many_items(found):
            raise _damaged(self.cells_file)
        return [row for _, row in found]

    def _read(self, query: str, *values: str) -> list[Row]:
        rows = []
        for id, content in self._select(query, *values):
            try:
                row = Row.from_json(json.loads(zlib.decompress(content)))
                if row.id != id:
                    raise ValueError(row.id)
            except _UNREADABLE as error:
                raise _damaged(self.cells_file) from error
            rows.append(row)
        return rows

    def _select(self, query: str, *values: str) -> list[tuple[str, bytes]]:
        if not self.cells_file.exists():
            return []
        try:
            with self._opened() as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if "no such table" in str(error):  # whoever makes the file hasn't come to its table yet
                return []
            if not os.access(self.cells_file, os.R_OK):
                raise Unreadable(self.cells_file, PermissionError(errno.EACCES, "")) from error
            raise _damaged(self.cells_file) from error

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.cells_file, timeout=_PATIENCE)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            yield connection


def _is_of(row: Row, cell: Cell, design: Design) -> bool:
    """Whether a row is what comes of a cell: its names, and scores or a reason at each length."""
    names = row.stage, row.scheme, row.task, row.seed
    if names != (cell.stage, cell.scheme.label, cell.task, cell.seed):
        return False
    tested = design.about(cell.task).lengths if cell.stage == "final" and row.failed is None else ()
    return {*row.measured, *row.undefined} == {*tested}


def _as_many_items(found: Sequence[tuple[Cell, Row]]) -> bool:
    """Whether all cells of a task were tested with as many items of each length."""
    counts: dict[tuple[str, int], set[int]] = {}
    for cell, row in found:
        for length, measured in row.measured.items():
            counts.setdefault((cell.task, length), set()).add(len(measured.scores))
    return all(len(each) == 1 for each in counts.values())


class Unreadable(ClockhandsError):
    """A file that is there, and that whoever asks may not read."""

    def __init__(self, file: Path, error: OSError):
        reason = reason_of(error)
        super().__init__(
            f"{file} can't be read ({reason.en}): ask its owner to let you read it",
            f"无法读取 {file}（{reason.zh}）：请让它的所有者允许你读取",
        )


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except PermissionError as error:
        raise Unreadable(file, error) from error
    except OSError as error:
        raise _damaged(file) from error


def _damaged(file: Path) -> ClockhandsError:
    return ClockhandsError(
        f"{file} is missing or damaged: restore it, or compare anew in another folder",
        f"{file} 缺失或已损坏：请恢复它，或在新的目录重新比较",
    )


def _of_system(error: sqlite3.OperationalError, file: Path) -> OSError:
    """What SQLite says of a disk, as the system says it."""
    said = str(error)
    reasons = {
        "disk is full": errno.ENOSPC, "readonly": errno.EROFS,
        "unable to open": errno.EISDIR if file.is_dir() else errno.EACCES,
    }  # fmt: skip
    return OSError(next((number for words, number in reasons.items() if words in said), 0), said)


def _said_of(file: Path, error: ClockhandsError) -> ClockhandsError:
    return ClockhandsError(f"{file}: {error.text.en}", f"{file}：{error.text.zh}")


def _write_json(path: Path, content: Any) -> None:
    with written_aside(path, lasting=True) as aside:
        aside.write_text(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1), encoding="utf-8")
