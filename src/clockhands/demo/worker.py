"""One chapter in a process of its own. Light to import: numpy comes when threads are settled."""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING

from clockhands.errors import MissingExtra

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from clockhands.demo.chapter import Chapter
    from clockhands.demo.studio import Studio

STOP = ".stop"
"""A file in the studio's folder that says: begin no further chapter."""

_THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def settle() -> None:
    """One thread a process: the processes are there to share the cores. No news but the gallery's own."""
    for name in _THREAD_SETTINGS:
        os.environ.setdefault(name, "1")
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def one_thread() -> AbstractContextManager[None]:
    """For a while torch sums in this process as it does where ``settle`` was called: pages are the same."""
    if find_spec("torch") is None:
        return nullcontext()
    from clockhands.training import threads

    return threads.one_thread()


def _end_with(parent: BaseProcess) -> None:
    """A parent that is killed can't stop its workers: they would go on for no one."""
    parent.join()
    os._exit(1)


def make(name: str, studio: Studio) -> Chapter:
    """The chapter called ``name``; where a package is missing, one that says so in its place."""
    from clockhands.demo.chapter import Chapter
    from clockhands.demo.chapters import chapter_module

    module = chapter_module(name)
    if (studio.folder / STOP).exists():
        return Chapter(title=module.STORY.title)
    try:
        return module.tell(studio)
    except MissingExtra as missing:
        return Chapter(title=module.STORY.title, missing=missing.text)
