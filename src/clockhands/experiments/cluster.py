"""The cells of a comparison on a Ray cluster; what they find and their states come back to this machine.

A node shares no disk with this one. A cell goes there in pieces of some seconds, each with the state that the
last one ended with: so a cell whose node is lost is gone on with elsewhere, from the state that is here.
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import Cell
from clockhands.experiments.design import Design
from clockhands.experiments.pieces import Piece, piece
from clockhands.experiments.reaching import session
from clockhands.experiments.sharing import PeerLost
from clockhands.experiments.store import Store
from clockhands.experiments.together import SHARED_PIECE, shared_piece
from clockhands.experiments.trial import versions
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.loop import Bar
from clockhands.writing import make_folder

PIECE = 5.0
"""Seconds of a piece: what a lost node costs at most, and each piece builds its model anew."""
MOST_LOST = 5
"""Times that a cell may be lost one after the other without a step forward."""
_LOOK = 0.5  # seconds between two looks at who else wants something
_ALIKE = ("clockhands", "torch", "numpy")


@dataclass
class _Flight:
    """A cell that is under way; lost: so often since the last piece that was done."""

    cell: Cell
    rate: float
    kept: Checkpoints
    steps: int = 0
    lost: int = 0


def on_cluster(
    store: Store,
    design: Design,
    stages: Sequence[Sequence[Cell]],
    bar: Bar,
    heed: Callable[[], None],
    *,
    address: str,
    workers: int | None,
    gpus_per_cell: float,
    data_parallel: int = 1,
    ended: Callable[[], None] = lambda: None,
) -> None:
    """Run the cells of each stage, the second when all of the first is there.

    address        ``local``: a cluster of this machine alone, for this once; ``auto``, ``HOST:PORT``,
                   ``ray://HOST:PORT``: as Ray has it
    workers        cells at once at most; None: as many as there is room for
    gpus_per_cell  0: a core computes it
    data_parallel  processes that share each cell, with a core and as many GPUs each
    ended          called when a cell has its row

    Raises ClockhandsError where the cluster does not answer, has no room for a cell, has other versions than
    this machine, or loses a cell again and again.
    """
    with session(address, workers and workers * data_parallel) as ray:
        _require_room(ray, gpus_per_cell, data_parallel)
        if data_parallel > 1:  # Ray Train asks for what its processes need
            sent = ray.remote(num_cpus=0, max_retries=0)(shared_piece)
        else:
            sent = ray.remote(num_cpus=1, num_gpus=gpus_per_cell, max_retries=0)(piece)
        flown = _Flown(ray, sent, store, design, bar, gpus_per_cell, data_parallel, ended)
        for stage in stages:
            flown.all_of(stage, workers, heed)


class _Flown:
    """All cells under way, by what Ray calls their piece."""

    def __init__(
        self, ray: Any, sent: Any, store: Store, design: Design, bar: Bar, gpus_per_cell: float,
        data_parallel: int = 1, ended: Callable[[], None] = lambda: None,
    ):  # fmt: skip
        self._ray, self._sent, self._store, self._design, self._bar = ray, sent, store, design, bar
        self._gpus, self._flying = gpus_per_cell, dict[Any, _Flight]()
        self._processes, self._ended = data_parallel, ended
        self._there: Any = None
        self._tasks: dict[str, Any] = {}
        self._put()

    def all_of(self, stage: Sequence[Cell], workers: int | None, heed: Callable[[], None]) -> None:
        """Until each of them has its row."""
        waiting = deque(stage)
        try:
            while waiting or self._flying:
                heed()
                room = _room(self._ray, self._gpus, self._processes)
                while waiting and len(self._flying) < min(room, workers or room):
                    self._begin(waiting.popleft())
                for done in self._ray.wait([*self._flying], timeout=_LOOK)[0]:
                    self._landed(done, self._flying.pop(done))
        finally:
            for one in self._flying:
                self._ray.cancel(one, force=True)

    def _begin(self, cell: Cell) -> None:
        from clockhands.experiments.run import chosen_rate

        folder = self._store.running(cell)
        make_folder(folder)
        rate = chosen_rate(self._store, self._design, cell) if cell.rate is None else cell.rate
        self._go_on(_Flight(cell, rate, Checkpoints(folder)))

    def _go_on(self, flight: _Flight) -> None:
        state, cell = flight.kept.packed(), flight.cell
        what = (self._there, self._task(cell.task), cell, flight.rate, state)
        if self._processes > 1:
            sent = self._sent.remote(*what, SHARED_PIECE, self._gpus, self._processes)
        else:
            sent = self._sent.remote(*what, PIECE, self._gpus > 0)
        self._flying[sent] = flight

    def _landed(self, done: Any, flight: _Flight) -> None:
        found = self._found(done, flight)
        if found is not None:
            _require_alike(found.versions)
            self._bar.update(found.steps - flight.steps)
            flight.steps, flight.lost = found.steps, 0
            if found.row is not None:
                self._store.save(flight.cell, found.row)
                shutil.rmtree(self._store.running(flight.cell), ignore_errors=True)
                self._ended()
                return
            assert found.state is not None
            flight.kept.put(found.state)
        self._go_on(flight)

    def _found(self, done: Any, flight: _Flight) -> Piece | None:
        """None where the node or a process that computed it is lost."""
        errors, reason = self._ray.exceptions, None
        try:
            found = self._ray.get(done)
        except errors.RayTaskError as error:
            if not isinstance(error.cause, errors.RayError):  # what was sent is lost, not what it does
                raise _failed_there(flight.cell, error) from error
            found, reason = None, error.cause
        except errors.RayError as error:
            found, reason = None, error
        if found is None:
            flight.lost += 1
            if flight.lost >= MOST_LOST:
                raise _lost(flight.cell, reason or PeerLost()) from reason
            self._put()
        return found

    def _put(self) -> None:
        """What all cells read goes to the cluster, again where it may be lost with a node."""
        self._there, self._tasks = self._ray.put(self._design), {}

    def _task(self, id: str) -> Any:
        if id not in self._tasks:
            self._tasks[id] = self._ray.put(self._design.task(id))
        return self._tasks[id]


def _require_room(ray: Any, gpus_per_cell: float, processes: int = 1) -> None:
    there = ray.cluster_resources()
    if processes > 1 and processes > there.get("CPU", 0):
        raise ClockhandsError(
            f"--data-parallel asks for {processes} processes a cell and the cluster has "
            f"{there.get('CPU', 0):g} cores: use fewer",
            f"--data-parallel 让每个单元用 {processes} 个进程，而集群只有 {there.get('CPU', 0):g} 个核："
            "请减少",
        )
    gpus_per_cell *= processes
    if gpus_per_cell > there.get("GPU", 0):
        raise ClockhandsError(
            f"a cell asks for {gpus_per_cell:g} GPUs and the cluster has {there.get('GPU', 0):g}: use a "
            "smaller --gpus-per-cell, or leave it out",
            f"每个单元要 {gpus_per_cell:g} 块 GPU，而集群有 {there.get('GPU', 0):g} 块：请减小 "
            "--gpus-per-cell，或去掉它",
        )


def _room(ray: Any, gpus_per_cell: float, processes: int = 1) -> int:
    """Cells that fit into the cluster as it is now; one at least, which waits for a node to come."""
    there = ray.cluster_resources()
    room = there.get("CPU", 0) / processes
    if gpus_per_cell:
        room = min(room, there.get("GPU", 0) / (gpus_per_cell * processes))
    return max(1, int(room))


def _require_alike(there: dict[str, str]) -> None:
    here = versions()
    for name in _ALIKE:
        if there[name] != here[name]:
            raise ClockhandsError(
                f"a node has {name} {there[name]} and this machine has {here[name]}, which may give other "
                "numbers: install the same versions on all nodes",
                f"某个节点上是 {name} {there[name]}，而本机是 {here[name]}，结果可能不同：请在所有节点上安装"
                "相同的版本",
            )


def _failed_there(cell: Cell, error: Any) -> ClockhandsError:
    cause = getattr(error, "cause", None)
    if isinstance(cause, ClockhandsError):
        return cause
    kind, words = type(cause or error).__name__, " ".join(str(cause or error).split())[-200:]
    return ClockhandsError(
        f"{cell.scheme.label}, {cell.task}, seed {cell.seed} could not be run on a node ({kind}: {words}): "
        "install clockhands[torch] and the schemes compared there, and go on with --resume",
        f"{cell.scheme.label}、{cell.task}、种子 {cell.seed} 无法在节点上运行（{kind}：{words}）："
        "请在节点上安装 clockhands[torch] 和所比较的方案，再用 --resume 继续",
    )


def _lost(cell: Cell, error: Exception) -> ClockhandsError:
    kind = type(error).__name__
    return ClockhandsError(
        f"{cell.scheme.label}, {cell.task}, seed {cell.seed} was lost {MOST_LOST} times without a step "
        f"forward ({kind}), perhaps for want of memory: what is finished is kept, go on with --resume",
        f"{cell.scheme.label}、{cell.task}、种子 {cell.seed} 连续 {MOST_LOST} 次中断而没有进展（{kind}），"
        "可能是内存不足：已完成的都保存了，请用 --resume 继续",
    )
