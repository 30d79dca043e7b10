"""torch's own threads, asked to run a function of ours."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from clockhands.kernels import team as module
from clockhands.kernels.team import team


def test_each_of_the_team_runs_it_once_and_knows_its_number() -> None:
    found = team()
    if found is None:
        assert not (sys.platform == "linux" and torch.backends.openmp.is_available())  # pyright: ignore[reportAttributeAccessIssue] (not in its stubs)
        return
    seen: list[tuple[int, int, int | None]] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
        lambda argument: seen.append((found.number(), found.size(), argument))
    )
    found.run(ctypes.cast(function, ctypes.c_void_p), 4711, 3, 0)
    assert sorted(seen) == [(n, 3, 4711) for n in range(3)]
    assert (found.number(), found.size()) == (0, 1)  # outside of it


@pytest.mark.parametrize("named", ["nowhere.so", "libc.so.6"])
def test_a_library_that_is_not_there_or_has_no_team(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_library", lambda: Path(named))
    assert team() is None


def test_a_library_that_is_not_loaded_stays_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another copy of torch's library would do harm."""
    modes: list[int] = []
    monkeypatch.setattr(module, "_library", lambda: tmp_path / "libtorch_cpu.so")
    monkeypatch.setattr(ctypes, "CDLL", lambda name, mode: modes.append(mode) or ctypes.PyDLL(name))
    assert team() is None
    assert modes[0] & getattr(module.os, "RTLD_NOLOAD", 0) == getattr(module.os, "RTLD_NOLOAD", 0)


@pytest.mark.parametrize(("platform", "which"), [("linux", "preloaded"), ("darwin", "torch's")])
def test_what_a_process_was_started_with_comes_first(
    platform: str, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does for torch's own calls on Linux: an OpenMP in LD_PRELOAD."""

    def library(name: str | None, mode: int = 0) -> Any:
        names = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
        owner = "preloaded" if name is None else "torch's"
        return SimpleNamespace(**{each: SimpleNamespace(owner=owner) for each in names})

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", library)
    found = team()
    assert found is not None
    assert [each.owner for each in found] == [which] * 3
