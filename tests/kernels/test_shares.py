"""The rows of a kernel on the CPU, shared out among threads."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands import formulas
from clockhands.kernels import heads, turn

POSITIONS = torch.tensor([[9, 3, 131071, 0, 5, 5, 2], [1, 0, 7, 1000003, 4, 3, 2]])


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def table(positions: Tensor, pairs: int) -> tuple[Tensor, Tensor]:
    angle = formulas.angles(positions, 1e4 ** (-torch.arange(pairs, dtype=torch.float64) / pairs))
    return angle.cos(), angle.sin()


@pytest.mark.parametrize("whose", ["torch's", "new ones"])
@pytest.mark.parametrize("threads", [2, 3, 64])
def test_threads_share_the_rows(threads: int, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    q, k = numbers(2, 4, 7, 36), numbers(2, 1, 7, 36, seed=1)
    cos, sin = table(POSITIONS, 16)
    wanted = turn(q, k, cos, sin)
    if "cpu" in heads.INSTALLED:
        from clockhands.kernels import on_cpu, shares

        monkeypatch.setattr(on_cpu, "BYTES_A_THREAD", 1)
        if whose == "new ones":
            monkeypatch.setattr(shares, "TEAM", None)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    assert all(map(torch.equal, turn(q, k, cos, sin), wanted))


def test_all_of_the_threads_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those left out would end."""
    if "cpu" not in heads.INSTALLED:
        return
    from clockhands.kernels import on_cpu, shares

    if shares.TEAM is None:
        return
    asked: list[int] = []
    run = shares.TEAM.run
    monkeypatch.setattr(
        shares, "TEAM", shares.TEAM._replace(run=lambda *how: (asked.append(how[2]), run(*how)))
    )
    q = numbers(2, 4, 7, 16)
    monkeypatch.setattr(on_cpu, "BYTES_A_THREAD", q.numel() * q.element_size())  # enough for two
    monkeypatch.setattr(torch, "get_num_threads", lambda: 5)
    turn(q, q, *table(POSITIONS, 8))
    assert asked == [5]


def test_memory_is_kept_while_threads_of_an_interrupted_call_go_on() -> None:
    if "cpu" not in heads.INSTALLED:
        return
    from clockhands.kernels import shares

    work: Any = shares.Shared(lambda *_: None)
    goes_on = threading.Event()

    def share(works: Any, number: int, size: int) -> None:
        if number == 0:
            raise KeyboardInterrupt
        goes_on.wait(60)

    work.share = share
    q = torch.zeros(3)
    seen, before = weakref.ref(q), set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        work._by_new_threads(np.zeros((2, 21), dtype=np.int64), 3, (q,))
    others = set(threading.enumerate()) - before
    del q
    gc.collect()
    kept = seen() is not None
    goes_on.set()
    for other in others:
        other.join()
    gc.collect()
    assert kept
    assert seen() is None
