"""Makes the gallery: chapters in two processes, then the page, then everything in its place at once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

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


def assemble(
    out: str | os.PathLike[str],
    *,
    lang: Language,
    texts: Sequence[str | os.PathLike[str]] | None = None,
    sentences: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    effort: Effort | None = None,
    chapters: Sequence[str] = ORDER,
    processes: int = 2,
) -> Path:
    """What ``clockhands.demo.build`` does."""
    place = file_path(out)
    passages = read_passages(texts, sentences)
    with written_aside(place) as folder:
        studio = Studio(folder, lang, passages, effort or Effort())
        made: dict[str, Chapter | None] = dict.fromkeys(chapters)
        for count, (name, chapter) in enumerate(_made(chapters, studio, processes), 1):
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
    if processes == 1:
        for name in queue:
            yield name, worker.make(name, studio)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=worker.settle)
    try:
        waiting = {pool.submit(worker.make, name, studio): name for name in queue}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        stop = studio.folder / worker.STOP
        stop.touch()  # chapters that a process has taken from the queue already can't be cancelled
        pool.shutdown(cancel_futures=True)
        stop.unlink()
