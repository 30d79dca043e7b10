"""A piece of a cell by several processes of a cluster, which Ray Train starts and joins."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.experiments.cells import Cell
from clockhands.experiments.design import Design
from clockhands.experiments.pieces import Paused, Piece, require_there
from clockhands.experiments.rows import Row
from clockhands.experiments.sharing import PeerLost, Share
from clockhands.experiments.tasks import Task
from clockhands.experiments.trial import CPU, perform, versions
from clockhands.language import Text
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.history import History
from clockhands.training.job import Job

SHARED_PIECE = 60.0
"""Seconds of a piece: Ray Train takes some to bring its processes together."""
PROCESSES = "processes"
"""What ``Row.versions`` calls the number of processes that shared a training."""
_NEEDED = ("ray", "pandas", "pyarrow", "fsspec", "requests", "pydantic")


class _Failed(Exception):
    """A process whose scheme raised, or whose loss is no number; the others wait for it in vain."""

    def __init__(self, row: Row):
        super().__init__(row)
        self.row = row


class _Kept(Checkpoints):
    """The state of a piece: all processes begin with it, and the first writes the one that it ends with."""

    def __init__(self, folder: Path, share: Share):
        super().__init__(folder)
        self._share, self._job, self._history = share, None, History()
        self.step = 0

    def load(self, job: Job) -> tuple[int, History]:
        done, self._history = super().load(job)
        self._job = job
        return done, self._history

    def save(self, job: Job, step: int, history: History) -> None:
        """Nothing: a state that does not leave the node is of no use."""

    def after_step(self, done: int) -> None:
        """End the piece where the first process says so; what is trained is tested by that one at once."""
        assert self._job is not None
        ends = done == self._job.steps
        if ends and self._share.rank:
            raise Paused
        if self._share.over and not ends:
            self.step = done
            if self._share.rank == 0:
                super().save(self._job, done, self._history)
            raise Paused


def shared_piece(
    design: Design, task: Task, cell: Cell, rate: float, state: bytes | None, seconds: float, gpus: float,
    processes: int,
) -> Piece | None:  # fmt: skip
    """``pieces.piece`` by so many processes, each with ``gpus`` GPUs; None where one of them was lost.

    The rows of each batch are divided among them. Tests are the first one's alone.
    """
    from ray.train import RunConfig, ScalingConfig, TrainingFailedError
    from ray.train.torch import TorchConfig, TorchTrainer

    logging.getLogger("ray.train").setLevel(logging.ERROR)
    each = {"CPU": 1.0} | ({"GPU": gpus} if gpus else {})
    given = {
        "design": design, "task": task, "cell": cell, "rate": rate, "state": state, "seconds": seconds,
        "gpu": gpus > 0,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="clockhands-") as folder:
        trainer = TorchTrainer(
            one_of_them,
            train_loop_config=given,
            torch_config=TorchConfig(backend="nccl" if gpus else "gloo"),
            scaling_config=ScalingConfig(num_workers=processes, use_gpu=gpus > 0, resources_per_worker=each),
            run_config=RunConfig(name=cell.id, storage_path=folder),
        )
        try:
            return trainer.fit().return_value
        except TrainingFailedError as error:
            return _after(error, cell, processes, torch.device("cuda") if gpus else CPU)


def one_of_them(given: dict[str, Any]) -> Piece | None:
    """What each process does; the piece is what the first one returns."""
    from ray.train import get_context

    from clockhands.training.threads import one_thread

    require_there(given["cell"])
    device = torch.device("cuda") if given["gpu"] else CPU
    context = get_context()
    share = Share(context.get_world_rank(), context.get_world_size(), given["seconds"])
    made = versions(device) | {PROCESSES: str(share.count)}
    with tempfile.TemporaryDirectory(prefix="clockhands-") as folder, one_thread():
        kept = _Kept(Path(folder), share)
        if given["state"] is not None:
            kept.put(given["state"])
        try:
            row = perform(
                given["design"], given["cell"], given["rate"], kept.after_step, task=given["task"],
                checkpoints=kept, device=device, share=share,
            )  # fmt: skip
        except Paused:
            return Piece(kept.step, kept.packed(), None, made)
    if row.failed is not None and share.rank:
        raise _Failed(row)
    row = replace(row, versions=made if row.failed is None else row.versions)
    return Piece(given["cell"].steps, None, row, made)


def _after(error: Any, cell: Cell, processes: int, device: torch.device) -> Piece | None:
    """What a failed piece says: of the scheme, of what the nodes lack, or nothing, where one was lost."""
    causes = [_cause(one) for one in getattr(error, "worker_failures", {}).values()]
    for one in causes:
        if isinstance(one, _Failed):
            made = versions(device) | {PROCESSES: str(processes)}
            return Piece(cell.steps, None, one.row, made)
    for one in causes:
        if isinstance(one, ClockhandsError | ImportError) and not isinstance(one, PeerLost):
            raise one
    return None


def _cause(failure: Any) -> Any:
    """What a process raised, which Ray Train hands out with its traceback around it."""
    return getattr(failure, "_base_exc", failure)


def require_shareable(processes: int, batch: int, gpus_per_cell: float) -> None:
    """Refuse what can't be shared: too few rows, parts of a GPU; MissingExtra without Ray Train."""
    if batch < processes:
        raise ClockhandsError(
            f"--data-parallel is {processes} and a batch has {batch} rows: use fewer processes, or larger "
            "batches",
            f"--data-parallel 为 {processes}，而一批只有 {batch} 行：请减少进程，或加大批量",
        )
    if gpus_per_cell % 1:
        raise ClockhandsError(
            f"--gpus-per-cell is {gpus_per_cell:g}, but processes that share a training need whole GPUs, one "
            "each: give a whole number, or leave --data-parallel out",
            f"--gpus-per-cell 为 {gpus_per_cell:g}，但共同训练的每个进程都要有整块 GPU：请给整数，或去掉 "
            "--data-parallel",
        )
    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingExtra(Text("Sharing a training among processes", "多进程共同训练"), "ray")
