"""torch's own threads, asked to run a function of ours."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

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
