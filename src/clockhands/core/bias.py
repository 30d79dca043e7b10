"""Both forms of a bias, from the one ``bias_at`` of a scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import torch
from torch import Tensor

from clockhands.core.context import Context


class Biased(Protocol):
    """The part of an encoding that this file needs."""

    def overrides(self, hook: str) -> bool: ...

    def parameters(self) -> Iterator[Tensor]: ...

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None: ...


def dense_bias(encoding: Biased, ctx: Context) -> Tensor | None:
    """``bias_at`` on grids of all slots: four axes, broadcastable to ``(b, h, tq, tk)``, in ``ctx.dtype``.

    One row of it serves all where ``ctx`` has one row of places.
    """
    if not encoding.overrides("bias_at"):
        return None
    b = torch.arange(ctx.batch, device=ctx.device)[:, None, None, None]
    h = torch.arange(ctx.num_heads, device=ctx.device)[None, :, None, None]
    i = torch.arange(ctx.num_queries, device=ctx.device)[None, None, :, None]
    j = torch.arange(ctx.num_keys, device=ctx.device)[None, None, None, :]
    bias = encoding.bias_at(ctx, b, h, i, j)
    if bias is None:
        return None
    return bias.to(ctx.dtype)[(None,) * (4 - bias.ndim)]  # one number for all is a bias, too


def hidden(bias: Tensor | None, mask: Tensor) -> Tensor:
    """The mask itself, or the bias with -inf where it is False."""
    return mask if bias is None else bias.masked_fill(~mask, -torch.inf)


def score_mod(encoding: Biased, ctx: Context) -> Callable[..., Tensor] | None:
    """``bias_at`` as FlexAttention calls it: ``(score, b, h, q_idx, kv_idx) -> score``; None if none."""
    if not encoding.overrides("bias_at"):
        return None

    def biased(score: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        bias = encoding.bias_at(ctx, torch.zeros_like(b) if ctx.batch == 1 else b, h, i, j)
        return score if bias is None else score + bias.to(score.dtype)

    return biased
