"""What schemes share that look a vector up for each distance."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from clockhands.catalogue.description import Array
from clockhands.core.context import Context
from clockhands.errors import ClockhandsError


def trained(values: Array) -> nn.Parameter:
    """A parameter that starts at these numbers."""
    return nn.Parameter(torch.tensor(values, dtype=torch.get_default_dtype()))


def distances(ctx: Context) -> Tensor:
    """Query position - key position of every pair, tokens, ``(b, 1, tq, tk)``."""
    return (ctx.q_places[:, :, None] - ctx.k_places[:, None, :])[:, None]


def picked(x: Tensor, vectors: Tensor, rows: Tensor) -> Tensor:
    """``x[i] . vectors[rows[i, j]]`` for every pair, ``(b, h, ti, tj)``.

    x        ``(b, h, ti, hd)``
    vectors  ``(rows, hd)``, or ``(h, rows, hd)`` if each head has its own; any dtype
    rows     ``(b, 1, ti, tj)``

    One product with all rows, then a choice: there is never a vector for each pair.
    """
    products = x @ vectors.to(x.dtype).transpose(-1, -2)
    return products.gather(-1, rows.expand(*x.shape[:3], rows.shape[-1]))


def require_width(head_dim: int, x: Tensor) -> None:
    """Refuse heads of another width than the vectors have."""
    if head_dim != x.shape[-1]:
        raise ClockhandsError(
            f"the vectors of distances are {head_dim} wide and the heads {x.shape[-1]}: "
            "give both the same head_dim",
            f"距离向量宽 {head_dim}，而注意力头宽 {x.shape[-1]}：两者的 head_dim 应相同",
        )
