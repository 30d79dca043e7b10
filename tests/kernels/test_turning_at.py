"""Turning by positions: where a table is made, and the operator behind a kernel that makes none."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from clockhands import formulas
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.kernels import turn, turn_at, turning_at
from clockhands.kernels.heads import Turn, readable

POSITIONS = torch.tensor([[0, 5, 131071, 7], [2**31 - 1, 1, 0, 3]])
SPEEDS = 10000 ** (-torch.arange(4, dtype=torch.float64) / 4)


def heads(dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    noise = torch.Generator().manual_seed(0)
    q, k = (torch.randn(2, n, 4, 12, generator=noise, dtype=torch.float64) for n in (4, 2))
    return q.to(dtype), k.to(dtype)


def table(positions: Tensor = POSITIONS) -> tuple[Tensor, Tensor]:
    angle = formulas.angles(positions, SPEEDS)
    return angle.cos(), angle.sin()


def as_a_kernel_would(
    turns: Sequence[Turn], places: Tensor, speeds: Tensor, layout: Layout, start: int, backwards: bool
) -> None:
    angle = formulas.angles(places, -speeds if backwards else speeds)
    for x, out in turns:
        out.copy_(readable(x, angle.cos().float(), angle.sin().float(), layout, start))


@pytest.fixture
def _on_the_fly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turning_at, "kernel_for", lambda _: SimpleNamespace(turn_at=as_a_kernel_would))


@pytest.mark.parametrize("positions", [POSITIONS, POSITIONS[:1], POSITIONS / 7], ids=["rows", "one", "parts"])
def test_where_no_kernel_computes_angles_the_table_is_made(positions: Tensor) -> None:
    for dtype in (torch.bfloat16, torch.float64):
        q, k = heads(dtype)
        got = turn_at(q, k, positions, SPEEDS.float().double(), "interleaved", start=3)
        angle = formulas.angles(positions, SPEEDS.float().double())
        assert all(map(torch.equal, got, turn(q, k, angle.cos(), angle.sin(), "interleaved", start=3)))


@pytest.mark.usefixtures("_on_the_fly")
def test_the_operator_has_the_gradient_of_turning() -> None:
    q, k = (x.requires_grad_() for x in heads())
    outputs = turn_at(q, k, POSITIONS, SPEEDS, start=4), turn(q, k, *table(), start=4)
    gradients = [torch.autograd.grad([x.square().sum() + x.sum() for x in two], (q, k)) for two in outputs]
    for mine, wanted in zip((*outputs[0], *gradients[0]), (*outputs[1], *gradients[1]), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=0, atol=2e-6)
    assert not torch.allclose(gradients[0][0], 2 * q.detach() + 1)  # turned by no angle it would be that


@pytest.mark.usefixtures("_on_the_fly")
def test_the_operator_keeps_the_rules_of_torch() -> None:
    q, k = (x.requires_grad_() for x in heads())
    torch.library.opcheck(turning_at.turned_at, (q, k, POSITIONS, SPEEDS, "half", 0, False))


@pytest.mark.usefixtures("_on_the_fly")
def test_float64_heads_are_turned_by_a_table() -> None:
    assert not turning_at.on_the_fly(heads(torch.float64)[0])
    assert turning_at.on_the_fly(heads()[0])


@pytest.mark.parametrize("positions", [POSITIONS, POSITIONS[..., None], POSITIONS[:, :2]])
def test_what_does_not_fit_is_refused(positions: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = torch.arange(4) if positions is POSITIONS else SPEEDS
    for kernel in (None, SimpleNamespace(turn_at=as_a_kernel_would)):
        monkeypatch.setattr(turning_at, "kernel_for", lambda _, kernel=kernel: kernel)
        with pytest.raises(ClockhandsError, match="don't fit"):
            turn_at(*heads(), positions, speeds)
