"""A cell in pieces of some seconds, each of which can be done on another machine."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import torch

from clockhands.catalogue import describe
from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import Cell
from clockhands.experiments.design import Design
from clockhands.experiments.rows import Row
from clockhands.experiments.tasks import Task
from clockhands.experiments.trial import CPU, perform, versions
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.history import History
from clockhands.training.job import Job
from clockhands.training.loop import Stopped


class Piece(NamedTuple):
    """What came of one.

    steps     that the cell has behind it; state: to go on from, None where it ended
    row       of a cell that ended
    versions  of what computed it
    """

    steps: int
    state: bytes | None
    row: Row | None
    versions: dict[str, str]


class Paused(Stopped):
    """The piece is over, and its state is kept."""

    def __init__(self) -> None:
        super().__init__("the piece is over", "这一段已结束")


class _Handed(Checkpoints):
    """States of a cell that ends its piece at the first one that is kept after so many seconds."""

    def __init__(self, folder: Path, seconds: float):
        super().__init__(folder)
        self.step, self._until = 0, time.monotonic() + seconds

    def save(self, job: Job, step: int, history: History) -> None:
        super().save(job, step, history)
        self.step = step
        if step < job.steps and time.monotonic() >= self._until:  # what is trained is tested at once
            raise Paused


def require_there(cell: Cell) -> None:
    """Raise ClockhandsError where this machine has not the scheme, which the one that sent the cell has."""
    try:
        describe(cell.scheme.id)
    except ClockhandsError as error:
        raise ClockhandsError(
            f"a node of the cluster can't run {cell.scheme.id} ({error.text.en}): install it there, and go "
            "on with --resume",
            f"集群的某个节点不能运行 {cell.scheme.id}（{error.text.zh}）：请在那里安装，再用 --resume 继续",
        ) from error


def piece(
    design: Design, task: Task, cell: Cell, rate: float, state: bytes | None, seconds: float, gpu: bool
) -> Piece:
    """Train on from ``state`` for so many seconds, or to the end of the cell and through its tests.

    Nothing stays on the machine that does it. gpu: whether its first GPU computes.
    """
    from clockhands.training.threads import one_thread

    require_there(cell)
    device = torch.device("cuda") if gpu else CPU
    with tempfile.TemporaryDirectory(prefix="clockhands-") as folder, one_thread():
        kept = _Handed(Path(folder), seconds)
        if state is not None:
            kept.put(state)
        try:
            row = perform(
                design, cell, rate, lambda _: None, task=task, checkpoints=kept, device=device
            )  # fmt: skip
        except Paused:
            return Piece(kept.step, kept.packed(), None, versions(device))
    return Piece(cell.steps, None, row, versions(device))
