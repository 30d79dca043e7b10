"""Which dimensions of a head turn together, and how weights move from one layout to the other."""

from __future__ import annotations

from typing import Literal, get_args

from clockhands.arrays import Array, as_array, device_of, namespace_of, require_whole, require_word
from clockhands.errors import ClockhandsError

Layout = Literal["half", "interleaved"]


def require_layout(layout: str, name: str = "layout") -> None:
    """One of the two layouts.

    >>> require_layout("half")
    """
    require_word(layout, name, get_args(Layout))


def relayout(
    weight: Array,
    source: Layout,
    target: Layout,
    *,
    num_heads: int,
    rotary_dim: int | None = None,
    rotary_start: int = 0,
) -> Array:
    """The weight (or bias) of a query or key projection, its rows moved from one layout to the other.

    weight        (num_heads * head_dim, ...): rows are the outputs of the projection
    num_heads     the heads *of this projection*: key weights under grouped-query attention have fewer, and
                  moving them in the query's number of groups is the classic way to break a conversion
    rotary_dim    how many dimensions of each head turn; all from ``rotary_start`` on by default
    rotary_start  the first that turns: 0, or more where the end of a head turns (DeepSeek: 128 of 192)

    A model converted this way gives the same logits, because queries and keys are permuted alike.

    >>> import numpy as np
    >>> relayout(np.arange(4), "interleaved", "half", num_heads=1).tolist()
    [0, 2, 1, 3]
    """
    require_layout(source, "source")
    require_layout(target, "target")
    weight = as_array(weight, "weight")
    xp = namespace_of(weight)
    require_whole(num_heads, "num_heads", least=1)
    rows = weight.shape[0] if weight.ndim else 0
    if not rows or rows % num_heads:
        raise ClockhandsError(
            f"weight has {rows} rows, which are not {num_heads} heads of one size: "
            "give the num_heads of this projection",
            f"weight 有 {rows} 行，不能平分给 {num_heads} 个头：请给出这个投影自己的 num_heads",
        )
    head_dim = rows // num_heads
    require_whole(rotary_start, "rotary_start")
    if rotary_start > head_dim:
        raise ClockhandsError(
            f"rotary_start is {rotary_start}, but a head has {head_dim} dimensions: use {head_dim} or less",
            f"rotary_start 为 {rotary_start}，但每个头只有 {head_dim} 维：请用 {head_dim} 或更小的数",
        )
    turned = head_dim - rotary_start if rotary_dim is None else rotary_dim
    require_whole(turned, "rotary_dim")
    room = head_dim - rotary_start
    if turned > room or turned % 2:
        raise ClockhandsError(
            f"{turned} dimensions of a head turn, but it must be an even number, {room} or less: "
            "give the model's rotary_dim",
            f"每个头转动 {turned} 维，但它必须是不超过 {room} 的偶数：请给出模型的 rotary_dim",
        )
    if source == target:
        return weight
    evens_then_odds = [*range(0, turned, 2), *range(1, turned, 2)]
    moved = evens_then_odds if target == "half" else sorted(range(turned), key=evens_then_odds.__getitem__)
    order = [*range(rotary_start), *(rotary_start + dim for dim in moved)]
    order += range(rotary_start + turned, head_dim)
    heads = xp.reshape(weight, (num_heads, head_dim, *weight.shape[1:]))
    index = xp.asarray(order, dtype=xp.int64, device=device_of(weight))
    return xp.reshape(xp.take(heads, index, axis=1), weight.shape)
