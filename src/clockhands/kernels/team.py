"""torch's own threads, which can be asked to run a function that numba compiled.

torch shares its work out by OpenMP, and the threads of OpenMP wait at full speed for some milliseconds after
each task, in case another one comes. Threads of our own would have to share the cores with them, just when a
model has multiplied its matrices and wants its heads turned; these are awake and waiting for us.

``GOMP_parallel`` is what compilers call for ``#pragma omp parallel``: it runs a function on so many threads
and returns when all are done. It is asked for where torch's own calls of it lead, so that it is the one that
torch uses, of however many a process has loaded. Source: gcc.gnu.org/onlinedocs/libgomp, "Implementing
PARALLEL construct". LLVM's OpenMP has it too. As with torch itself: who has used it and forks must not use it
in the child.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch


class Team(NamedTuple):
    """Functions of OpenMP, by ctypes, which gives other threads of Python leave to run meanwhile.

    run     ``(function, its argument, threads, 0)``: addresses of the first two
    number  of the thread that asks, from 0
    size    threads that run the function; they may be fewer than were asked for
    """

    run: Any
    number: Any
    size: Any


def team() -> Team | None:
    """The team of the torch that is imported; None where it has another kind of threads or hides them."""
    try:
        # Only if it is loaded: a second copy of torch's library, from elsewhere, would do harm.
        library = ctypes.CDLL(str(_library()), mode=ctypes.DEFAULT_MODE | getattr(os, "RTLD_NOLOAD", 0))
        found = _functions(library)
        if sys.platform == "linux":
            # What the process was started with (LD_PRELOAD) comes before what torch's library names.
            whole = ctypes.CDLL(None)
            found = _functions(whole) if hasattr(whole, "GOMP_parallel") else found
    except (OSError, AttributeError):
        return None
    found.run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
    found.run.restype = None
    for asked in (found.number, found.size):
        asked.argtypes, asked.restype = (), ctypes.c_int
    return found


def _functions(library: ctypes.CDLL) -> Team:
    return Team(library.GOMP_parallel, library.omp_get_thread_num, library.omp_get_num_threads)


def _library() -> Path:
    """What torch computes with on the CPU. What it depends on is searched with it."""
    folder = Path(torch.__file__).parent / "lib"
    return next((path for path in sorted(folder.glob("libtorch_cpu.*"))), folder / "libtorch_cpu.so")
