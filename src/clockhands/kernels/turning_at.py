"""Queries and keys turned by their positions, without a table where a kernel computes angles on the fly."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.kernels.heads import Turn, kernel_for
from clockhands.kernels.turning import require_fit, turn


def turn_at(
    q: Tensor,
    k: Tensor,
    positions: Tensor,
    inv_freq: Tensor,
    layout: Layout = "half",
    *,
    start: int = 0,
) -> tuple[Tensor, Tensor]:
    """``turn`` by the angles ``positions * inv_freq``: no table is held, which grows with the text.

    q          ``(b, h, t, hd)``; k ``(b, hk, t, hd)``, of the same dtype; any strides
    positions  ``(b or 1, t)``, of each token; integers or real numbers
    inv_freq   ``(pairs,)``, rad / token; no gradient goes to it
    start      the first dimension that turns

    On a GPU angles are computed in the kernel; cosines are within 1e-6 of those of a float64 table for
    positions below 2^31. Elsewhere, and for float64 heads, the table is made and ``turn`` computes. Raises
    ClockhandsError for shapes and dtypes that don't fit together.

    >>> one, quarter = torch.tensor([[[[1.0, 2.0]]]]), torch.tensor([torch.pi / 2], dtype=torch.float64)
    >>> turn_at(one, one, torch.tensor([[4_000_001]]), quarter)[0].round().tolist()
    [[[[-2.0, 1.0]]]]
    """
    if positions.ndim != 2 or inv_freq.ndim != 1 or not inv_freq.is_floating_point():
        given = f"{tuple(positions.shape)}, {tuple(inv_freq.shape)} {inv_freq.dtype}"
        raise ClockhandsError(
            f"positions and inv_freq ({given}) don't fit: give (b or 1, t) and real numbers (pairs,)",
            f"positions 和 inv_freq（{given}）不合适：应为 (b 或 1, t) 和 (pairs,) 的实数",
        )
    if on_the_fly(q):
        each = positions[..., None].expand(*positions.shape, len(inv_freq))
        require_fit(q, k, each, each, layout, start)
        return turned_at(q, k, positions, inv_freq.detach().double(), layout, start, False)
    return turn(q, k, *_table(positions, inv_freq.detach()), layout, start=start)


def on_the_fly(q: Tensor) -> bool:
    """Whether a kernel computes angles for these heads."""
    return q.dtype != torch.float64 and hasattr(kernel_for(q.device.type), "turn_at")


@torch.library.custom_op("clockhands::turned_at", mutates_args=())
def turned_at(
    q: Tensor, k: Tensor, positions: Tensor, inv_freq: Tensor, layout: str, start: int, backwards: bool
) -> tuple[Tensor, Tensor]:
    """The operator behind ``turn_at``: results in new memory, laid out as q and k are."""
    q, k = (x if x.stride(-1) == 1 else x.contiguous() for x in (q, k))
    kernel: Any = kernel_for(q.device.type)
    turns = [Turn(x, torch.empty_like(x)) for x in (q, k)]
    kernel.turn_at(turns, positions, inv_freq, layout, start, backwards)
    return turns[0].out, turns[1].out


@turned_at.register_fake
def _(
    q: Tensor, k: Tensor, positions: Tensor, inv_freq: Tensor, layout: str, start: int, backwards: bool
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(q), torch.empty_like(k)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, _, positions, inv_freq, ctx.layout, ctx.start, ctx.backwards = inputs
    ctx.save_for_backward(positions, inv_freq)


def _backward(ctx: Any, of_q: Tensor, of_k: Tensor) -> tuple[Any, ...]:
    """The gradient turned back, by the opposite angles."""
    q, k = turned_at(of_q, of_k, *ctx.saved_tensors, ctx.layout, ctx.start, not ctx.backwards)
    return q, k, None, None, None, None, None


turned_at.register_autograd(_backward, setup_context=_keep)


def _table(positions: Tensor, inv_freq: Tensor) -> tuple[Tensor, Tensor]:
    angle = formulas.angles(positions, inv_freq.double())
    return angle.cos(), angle.sin()
