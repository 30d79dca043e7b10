"""How many tokens of each kind a token has behind it: the integer axes of content-aware positions."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of, require_whole, whole_array
from clockhands.errors import ClockhandsError


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
    Raises ClockhandsError for shapes that don't fit.

    >>> import numpy as np
    >>> tag_counts(np.asarray([0, 1, 1, 0]), 2).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 2]]
    """
    tags = whole_array(tags, "tags")
    require_whole(num_tags, "num_tags", least=1)
    if steps is not None:
        steps = _shaped(steps, "steps", tuple(tags.shape))
    if start is not None:
        start = _shaped(start, "start", (*tags.shape[:-1], num_tags))
    xp = namespace_of(tags)
    walked = xp.ones_like(tags) if steps is None else steps
    if steps is None and start is None:
        walked = xp.concat([xp.zeros_like(tags[..., :1]), walked[..., 1:]], axis=-1)
    kinds = xp.arange(num_tags, dtype=tags.dtype, device=device_of(tags))
    taken = xp.where(tags[..., None] == kinds, walked[..., None], xp.zeros_like(walked[..., None]))
    counts = xp.cumulative_sum(xp.astype(taken, xp.int64), axis=-2)
    return counts if start is None else counts + start[..., None, :]


def _shaped(values: Array, name: str, shape: tuple[int, ...]) -> Array:
    """Integers of this shape, or of the shape of one row of it."""
    array = whole_array(values, name)
    if tuple(array.shape) not in (shape, shape[-1:]):
        raise ClockhandsError(
            f"{name} has shape {tuple(array.shape)}, but these tags need {shape}: give one for each",
            f"{name} 的形状是 {tuple(array.shape)}，而这些 tags 需要 {shape}：请一一对应",
        )
    return array
