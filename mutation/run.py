"""Run tests against mutants, a few forked processes at a time."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType, ModuleType
from typing import Literal

from mutation.mutants import Mutant
from mutation.sample import ROOT
from mutation.tests import Part, tests_for

Outcome = Literal["caught", "survived"]
SECONDS_A_MUTANT = 300
"""Several times what the slowest test list takes: a mutant that takes longer hangs, which is caught too."""

_PRELOADED = ("numpy", "torch", "matplotlib.figure", "hypothesis", "pytest", "array_api_compat.torch")


class _MutatedModule(importlib.machinery.SourceFileLoader):
    """Loads one module from a source text; the file of that name stays as it is."""

    def __init__(self, name: str, path: str, source: str):
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, mutant: Mutant, source: str):
        path = ROOT / mutant.file
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        self._is_package = parts[-1] == "__init__"
        self._name = ".".join(parts[:-1] if self._is_package else parts)
        self._path, self._source = str(path), source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _MutatedModule(fullname, self._path, self._source)
        places = [str(Path(self._path).parent)] if self._is_package else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=loader, submodule_search_locations=places
        )


def preload() -> None:
    """Import what every mutant's tests need, once, before forking."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in _PRELOADED:
        importlib.import_module(name)
    sys.modules["torch"].set_num_threads(1)


def tests_pass(tests: Sequence[str]) -> bool:
    """Whether the tests pass with no mutant at all."""
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "auto", *tests]).returncode == 0


def outcomes(jobs: Iterator[tuple[Mutant, str]], at_once: int) -> Iterator[tuple[Mutant, Outcome, float]]:
    """Run each mutant's tests; yields as they end, with the seconds taken."""
    running: dict[int, tuple[BaseProcess, Mutant, float]] = {}
    for mutant, source in jobs:
        while len(running) >= at_once:
            yield from _ended(running)
        process = multiprocessing.get_context("fork").Process(
            target=_test, args=(mutant, source, tests_for(mutant.file))
        )
        process.start()
        running[process.sentinel] = (process, mutant, time.monotonic())
    while running:
        yield from _ended(running)


def _ended(running: dict[int, tuple[BaseProcess, Mutant, float]]) -> Iterator[tuple[Mutant, Outcome, float]]:
    wait(list(running), timeout=1)
    for sentinel, (process, mutant, start) in list(running.items()):
        seconds = time.monotonic() - start
        if process.is_alive():
            if seconds < SECONDS_A_MUTANT:
                continue
            process.kill()
        process.join()
        del running[sentinel]
        yield mutant, "survived" if process.exitcode == 0 else "caught", seconds


def _test(mutant: Mutant | None, source: str | None, tests: Sequence[Part]) -> None:
    """In the forked process: put the mutant in place, run pytest (quietly then), exit with its code."""
    import pytest

    if mutant is not None and source is not None:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, sys.stdout.fileno())
        os.dup2(silence, sys.stderr.fileno())
        sys.meta_path.insert(0, _Finder(mutant, source))
    options = ["-x", "-q", "-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    fine = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    passed = all(pytest.main([*options, *part]) in fine for part in tests)
    sys.stdout.flush()
    os._exit(0 if passed else 1)
