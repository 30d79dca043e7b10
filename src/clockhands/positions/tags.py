"""How many tokens of each kind a token has behind it: the integer axes of content-aware positions."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of, require_whole, whole_array


def tag_counts(
    tags: Array, num_tags: int, *, steps: Array | None = None, start: Array | None = None
) -> Array:
    """Running count of steps per tag, ``(..., t, num_tags)`` integers; summed over tags it is the position.

    tags      (..., t) integers 0 … num_tags-1. Any other number, such as -1 for padding, takes no step
    steps     (..., t) integers, how far each token is from the one before it; 1 by default, but 0 for the
              first token of a row, so that it is at position 0
    start     (..., num_tags) integers, the counts of the token before the first: where a cache left off.
              The first step is then 1 by default

    The step to a token belongs to that token's tag. Counts are integers and grow by prefix sums, so
    chunks of a text, each started from the last counts of the one before, give what the whole gives.

    >>> import numpy as np
    >>> tag_counts(np.asarray([0, 1, 1, 0]), 2).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 2]]
    """
    tags = whole_array(tags, "tags")
    require_whole(num_tags, "num_tags", least=1)
    xp = namespace_of(tags)
    walked = xp.ones_like(tags) if steps is None else steps
    if steps is None and start is None:
        walked = xp.concat([xp.zeros_like(tags[..., :1]), walked[..., 1:]], axis=-1)
    kinds = xp.arange(num_tags, dtype=tags.dtype, device=device_of(tags))
    taken = xp.where(tags[..., None] == kinds, walked[..., None], xp.zeros_like(walked[..., None]))
    counts = xp.cumulative_sum(xp.astype(taken, xp.int64), axis=-2)
    return counts if start is None else counts + start[..., None, :]
