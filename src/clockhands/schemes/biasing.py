"""What every bias by distance needs."""

from __future__ import annotations

from torch import Tensor

from clockhands.core.context import Context
from clockhands.errors import ClockhandsError


def distance_at(ctx: Context, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Query position - key position, tokens; scalars or broadcast grids."""
    return ctx.q_places[b, i] - ctx.k_places[b, j]


def require_heads(num_heads: int, ctx: Context) -> None:
    """Refuse attention whose number of heads is not the bias's own."""
    if num_heads != ctx.num_heads:
        raise ClockhandsError(
            f"the bias has {num_heads} heads and the attention {ctx.num_heads}: give both the same num_heads",
            f"偏置有 {num_heads} 个头，而注意力有 {ctx.num_heads} 个：两者的 num_heads 应相同",
        )
