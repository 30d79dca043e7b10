"""What every bias by distance needs."""

from __future__ import annotations

from torch import Tensor

from clockhands.core.context import Context
from clockhands.errors import ClockhandsError


def distance_at(ctx: Context, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Query position - key position, tokens; scalars or broadcast grids."""
    return ctx.q_places[b, i] - ctx.k_places[b, j]


def offsets_at(ctx: Context, b: Tensor, i: Tensor, j: Tensor) -> list[Tensor]:
    """The same on each axis of the positions; a single one where they are plain."""
    if ctx.q_places.ndim == 2:
        return [distance_at(ctx, b, i, j)]
    return [ctx.q_places[b, i, axis] - ctx.k_places[b, j, axis] for axis in range(ctx.q_places.shape[2])]


def offsets_of(ctx: Context) -> Tensor:
    """The offsets of all pairs, tokens, ``(b, tq, tk, axes)``; one axis where positions are plain."""
    offsets = ctx.q_places[:, :, None] - ctx.k_places[:, None, :]
    return offsets if offsets.ndim == 4 else offsets[..., None]


def on_grids(*slots: Tensor) -> bool:
    """Whether ``bias_at`` is asked for all slots at once, which it is on grids of four axes, in order."""
    return all(slot.ndim == 4 for slot in slots)


def of_heads(table: Tensor, row: Tensor, h: Tensor) -> Tensor:
    """``table[row, h]``, for ``table`` ``(rows, heads)``.

    On grids on a CPU each head takes from its own column, which gives the same numbers in a third of the
    time, and the gradient in a sixteenth (torch 2.13). On a GPU that gradient would have no fixed order.
    """
    if not on_grids(row, h) or table.device.type != "cpu":
        return table[row, h]
    columns = table.t()[h.flatten()]
    rows = row.reshape(1, -1).expand(len(columns), -1)
    return columns.gather(1, rows).view(len(columns), row.shape[0], *row.shape[2:]).transpose(0, 1)


def require_heads(num_heads: int, ctx: Context) -> None:
    """Refuse attention whose number of heads is not the bias's own."""
    if num_heads != ctx.num_heads:
        raise ClockhandsError(
            f"the bias has {num_heads} heads and the attention {ctx.num_heads}: give both the same num_heads",
            f"偏置有 {num_heads} 个头，而注意力有 {ctx.num_heads} 个：两者的 num_heads 应相同",
        )
