"""Which dimensions of a head turn together, and how weights move from one layout to the other."""

from __future__ import annotations

from typing import Literal

from clockhands.arrays import Array, device_of, namespace_of

Layout = Literal["half", "interleaved"]


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
    if source == target:
        return weight
    xp = namespace_of(weight)
    head_dim = weight.shape[0] // num_heads
    turned = head_dim - rotary_start if rotary_dim is None else rotary_dim
    evens_then_odds = [*range(0, turned, 2), *range(1, turned, 2)]
    moved = evens_then_odds if target == "half" else sorted(range(turned), key=evens_then_odds.__getitem__)
    order = [*range(rotary_start), *(rotary_start + dim for dim in moved)]
    order += range(rotary_start + turned, head_dim)
    heads = xp.reshape(weight, (num_heads, head_dim, *weight.shape[1:]))
    index = xp.asarray(order, dtype=xp.int64, device=device_of(weight))
    return xp.reshape(xp.take(heads, index, axis=1), weight.shape)
