"""Processes that are given one cell after the other; none outlives the one that started it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Self

from clockhands.errors import ClockhandsError
from clockhands.experiments.design import Design
from clockhands.experiments.tasks import Task
from clockhands.training.loop import Stopped

MOST_DEATHS = 3
"""Processes that one cell may cost before it is given up."""
_LOOK = 0.5  # seconds between two looks at who else wants something
_PATIENCE = 20.0  # seconds that a worker gets to end its step


class _Worker:
    """One process and the line to it: nothing is shared with others, so that its death harms none."""

    def __init__(self, path: Path, design: Design):
        context = multiprocessing.get_context("spawn")  # torch's threads don't survive a fork
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(str(path), design, theirs), daemon=True)
        self.process.start()
        theirs.close()  # so that the line ends when the process does

    def tell(self, what: str | None) -> None:
        """A cell to do, or None to end; a process that is dead already is found when it is listened to."""
        with suppress(OSError):
            self.line.send(what)

    def end(self) -> None:
        """Wait until it has ended, and kill it if it takes too long."""
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.line.close()


class Workers:
    """So many processes of one thread each. One that dies, whatever killed it, is replaced."""

    def __init__(self, path: Path, design: Design, count: int):
        self._path, self._design, self._count = path, design, count
        self._crew: list[_Worker] = []

    def __enter__(self) -> Self:
        self._crew = [_Worker(self._path, self._design) for _ in range(self._count)]
        return self

    def __exit__(self, *how: object) -> None:
        """All of them end, after their step if they are at work."""
        for worker in self._crew:
            worker.tell(None)
        for worker in self._crew:
            worker.end()

    def each(self, ids: Sequence[str], heed: Callable[[], None] = lambda: None) -> Iterator[str]:
        """Have these cells done, and yield each when it is.

        heed  called while waiting; what it raises ends the wait

        A cell whose process dies is gone on with by another, from its last state; ClockhandsError if that
        happens too often, or a cell can't be kept.
        """
        waiting, deaths = deque(ids), Counter[str]()
        idle, busy = [*self._crew], dict[Any, tuple[_Worker, str]]()
        while waiting or busy:
            heed()
            while idle and waiting:
                worker, id = idle.pop(), waiting.popleft()
                worker.tell(id)
                busy[worker.line] = worker, id
            for line in wait([*busy], timeout=_LOOK):
                worker, id = busy.pop(line)
                try:
                    outcome = worker.line.recv()
                except (EOFError, OSError):
                    idle.append(self._replaced(worker))
                    deaths[id] += 1
                    if deaths[id] >= MOST_DEATHS:
                        raise _died(worker) from None
                    waiting.appendleft(id)
                    continue
                if isinstance(outcome, ClockhandsError):
                    raise outcome
                idle.append(worker)
                yield outcome

    def _replaced(self, dead: _Worker) -> _Worker:
        dead.end()
        self._crew.remove(dead)
        self._crew.append(_Worker(self._path, self._design))
        return self._crew[-1]


def _died(worker: _Worker) -> ClockhandsError:
    code = worker.process.exitcode
    return ClockhandsError(
        f"{MOST_DEATHS} workers ended at the same cell, the last with exit code {code}, perhaps for want of "
        "memory: what is finished is kept, go on with --resume and fewer --workers",
        f"{MOST_DEATHS} 个工作进程都在同一个单元退出（最后的退出码 {code}），可能是内存不足："
        "已完成的都保存了，请用 --resume 和更少的 --workers 继续",
    )


def _serve(path: str, design: Design, line: Connection) -> None:
    """What a worker does until it gets None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started us hears it and tells us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from clockhands.experiments.cells import cells
    from clockhands.experiments.run import work
    from clockhands.experiments.store import Store
    from clockhands.training.threads import one_thread

    def heed(_: int) -> None:
        if line.poll():  # whoever is at work is told nothing but to end
            raise Stopped("stopped", "已停止")

    store = Store(Path(path))
    named = {cell.id: cell for cell in cells(design)}
    tasks: dict[str, Task] = {}
    with one_thread():
        for id in iter(line.recv, None):
            try:
                work(store, design, named[id], heed, tasks)
            except Stopped:
                return
            except ClockhandsError as error:
                line.send(ClockhandsError(*error.text))
                return
            line.send(id)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
