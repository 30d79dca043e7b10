"""Processes that take cells from a queue; none outlives the one that started it."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, Self

from clockhands.errors import ClockhandsError
from clockhands.experiments.design import Design
from clockhands.experiments.tasks import Task
from clockhands.training.loop import Stopped

_LOOK = 0.5  # seconds between two looks whether all are alive
_PATIENCE = 20.0  # seconds that a worker gets to end its step


class Workers:
    """So many processes, started anew (not forked, which torch's threads don't survive), one thread each."""

    def __init__(self, path: Path, design: Design, count: int):
        context = multiprocessing.get_context("spawn")
        self._todo: Any = context.Queue()
        self._done: Any = context.Queue()
        self._stop = context.Event()
        given = (str(path), design, self._todo, self._done, self._stop)
        self._processes = [context.Process(target=_serve, args=given, daemon=True) for _ in range(count)]

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *how: object) -> None:
        """All of them end: after their cell if all went well, else after their step."""
        self._stop.set()
        for _none in self._processes:
            self._todo.put(None)
        for process in self._processes:
            process.join(_PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()
        for each in (self._todo, self._done):
            each.cancel_join_thread()
            each.close()

    def each(self, ids: Sequence[str], heed: Callable[[], None] = lambda: None) -> Iterator[str]:
        """Have these cells done, and yield each when it is. ClockhandsError if a process fails or dies.

        heed  called while waiting; what it raises ends the wait
        """
        for id in ids:
            self._todo.put(id)
        for _ in ids:
            outcome = self._next(heed)
            if isinstance(outcome, ClockhandsError):
                raise outcome
            yield outcome

    def _next(self, heed: Callable[[], None]) -> Any:
        while True:
            heed()
            try:
                return self._done.get(timeout=_LOOK)
            except queue.Empty:
                died = [process.exitcode for process in self._processes if not process.is_alive()]
                if died:
                    raise ClockhandsError(
                        f"a worker ended with exit code {died[0]}, perhaps for want of memory: "
                        "what is finished is kept, go on with --resume and fewer --workers",
                        f"一个工作进程退出了（退出码 {died[0]}），可能是内存不足：已完成的都保存了，"
                        "请用 --resume 和更少的 --workers 继续",
                    ) from None


def _serve(path: str, design: Design, todo: Any, done: Any, stop: Event) -> None:
    """What a worker does until it gets None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started us hears it and tells us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from clockhands.experiments.cells import cells
    from clockhands.experiments.run import one_thread, work
    from clockhands.experiments.store import Store

    def heed(_: int) -> None:
        if stop.is_set():
            raise Stopped("stopped", "已停止")

    store = Store(Path(path))
    named = {cell.id: cell for cell in cells(design)}
    tasks: dict[str, Task] = {}
    with one_thread():
        for id in iter(todo.get, None):
            if stop.is_set():
                return
            try:
                work(store, design, named[id], heed, tasks)
            except Stopped:
                return
            except ClockhandsError as error:
                done.put(ClockhandsError(*error.text))
                return
            done.put(id)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
