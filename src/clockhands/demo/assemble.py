"""Makes the gallery: chapters in several processes, then the page, then everything in its place at once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TypeAlias

from clockhands.demo import worker
from clockhands.demo.chapter import Chapter
from clockhands.demo.chapters import ORDER, SLOWEST_FIRST
from clockhands.demo.folder import PAGE, written_aside
from clockhands.demo.front import front
from clockhands.demo.page import document
from clockhands.demo.passages import read_passages
from clockhands.demo.studio import Effort, Studio
from clockhands.language import Language
from clockhands.plots.webfont import font_face
from clockhands.writing import file_path

_MOST = 4
"""Processes by default: each holds torch, and with more the longest chapter decides."""
_Begun: TypeAlias = tuple[ProcessPoolExecutor, dict[Future[Chapter], str]]


def assemble(
    out: str | os.PathLike[str],
    *,
    lang: Language,
    texts: Sequence[str | os.PathLike[str]] | None = None,
    sentences: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    effort: Effort | None = None,
    chapters: Sequence[str] = ORDER,
    processes: int | None = None,
) -> Path:
    """What ``clockhands.demo.build`` does."""
    place = file_path(out)
    passages = read_passages(texts, sentences)
    with written_aside(place) as folder:
        studio = Studio(folder, lang, passages, effort or Effort())
        made: dict[str, Chapter | None] = dict.fromkeys(chapters)
        for count, (name, chapter) in enumerate(_made(chapters, studio, processes or _usual()), 1):
            made[name] = chapter
            if progress is not None:
                progress(count, len(chapters))
        told = [(name, chapter) for name, chapter in made.items() if chapter is not None]
        page = document(front(told, passages), told, lang)
        page = document(front(told, passages), told, lang, font_face(page, lang))
        (folder / PAGE).write_text(page, encoding="utf-8", errors="replace", newline="\n")
    return place / PAGE


def _made(chapters: Sequence[str], studio: Studio, processes: int) -> Iterator[tuple[str, Chapter]]:
    """(name, chapter) as they are finished, the slow ones begun first."""
    queue = sorted(chapters, key=lambda name: SLOWEST_FIRST.index(name) if name in SLOWEST_FIRST else 99)
    begun = None if processes == 1 else _begun(queue, studio, min(processes, len(queue)))
    if begun is None:
        with worker.one_thread():
            for name in queue:
                yield name, worker.make(name, studio)
        return
    pool, waiting = begun
    try:
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        _stop(pool, studio)


def _begun(queue: Sequence[str], studio: Studio, processes: int) -> _Begun | None:
    """Chapters at work in processes of their own; None where this machine allows no further processes."""
    try:
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=worker.settle)
    except (OSError, ImportError, NotImplementedError):  # no semaphores, no shared memory
        return None
    try:
        return pool, {pool.submit(worker.make, name, studio): name for name in queue}
    except OSError:  # no room for one more process, or it isn't allowed
        _stop(pool, studio)
        return None
    except BaseException:
        _stop(pool, studio)
        raise


def _stop(pool: ProcessPoolExecutor, studio: Studio) -> None:
    stop = studio.folder / worker.STOP
    stop.touch()  # chapters that a process has taken from the queue already can't be cancelled
    pool.shutdown(cancel_futures=True)
    stop.unlink()


def _usual() -> int:
    """One process a core that this one may use, from 2 to ``_MOST``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(2, cores), _MOST)
