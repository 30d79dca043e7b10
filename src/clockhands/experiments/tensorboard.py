"""The curves of a comparison as TensorBoard reads them: a run for each training that has ended."""

from __future__ import annotations

import re
import shutil
import zlib
from importlib.util import find_spec
from pathlib import Path

from clockhands.errors import MissingExtra
from clockhands.experiments.cells import Cell, cells
from clockhands.experiments.design import Design
from clockhands.experiments.rows import Row
from clockhands.experiments.store import Store
from clockhands.language import Text
from clockhands.writing import cannot_write

TRAINING, WITHIN, BY_LENGTH = "loss/training", "loss/within the training length", "score by length"
"""Names of the curves; the steps of the last are lengths."""
_LETTERS = 60  # of a label that a folder is called by: in Chinese each has three bytes, of 255


def require_tensorboard() -> None:
    """Raise MissingExtra where nothing can write its files."""
    if find_spec("tensorboard") is None:
        raise MissingExtra(Text("A log for TensorBoard", "TensorBoard 日志"), "log")


class Log:
    """Writes what a store has into ``folder``: ``TASK/SCHEME/seed N`` for each cell, in its own time.

    One process writes, whoever trains. A cell that was logged is not logged again, so that a run that is gone
    on with adds what is new.
    """

    def __init__(self, folder: Path, store: Store, design: Design):
        require_tensorboard()
        self._folder, self._store = folder, store
        self._waiting = {cell.id: cell for cell in cells(design) if not self._place(cell).exists()}

    def write(self) -> None:
        """Log the cells that have ended since the last time. ClockhandsError where that can't be written."""
        finished = self._store.finished()
        for id in [id for id in self._waiting if id in finished]:
            cell = self._waiting.pop(id)
            row = self._store.row(cell)
            assert row is not None
            if row.failed is None:
                self._written(cell, row)

    def _written(self, cell: Cell, row: Row) -> None:
        from torch.utils.tensorboard import SummaryWriter

        place = self._place(cell)
        aside = place.with_name(f".{place.name}")
        try:
            shutil.rmtree(aside, ignore_errors=True)
            with SummaryWriter(str(aside)) as writer:
                for part, loss in enumerate(row.losses, start=1):
                    writer.add_scalar(TRAINING, loss, cell.steps * part // len(row.losses))
                writer.add_scalar(WITHIN, row.validation, cell.steps)
                for length, measured in row.measured.items():
                    writer.add_scalar(BY_LENGTH, measured.mean, length)
            aside.rename(place)
        except OSError as error:
            raise cannot_write(place, error) from error

    def _place(self, cell: Cell) -> Path:
        label = cell.scheme.label
        scheme = re.sub(r"[^\w(),.= -]", "_", label)[:_LETTERS]
        if scheme != label:  # others may look alike then
            scheme += f" {zlib.crc32(label.encode()):08x}"
        stage = "" if cell.stage == "final" else f"{cell.stage} rate {cell.rate:g}, "
        return self._folder / cell.task / scheme / f"{stage}seed {cell.seed}"
