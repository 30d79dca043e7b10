"""Positions of tokens that come after others already in a cache."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of, require_whole, whole_array
from clockhands.errors import ClockhandsError


def from_offset(start: int | Array, length: int) -> Array:
    """Positions ``start, start + 1, …``: ``(length,)``, or ``(b, length)`` for a start a row; integers.

    start  position of the first new token. After a prompt of 9 tokens (0 … 8) it is 9. It is how many
           tokens were *seen*, not how many rows a cache still keeps: after evictions these differ.

    >>> from_offset(9, 3).tolist()
    [9, 10, 11]
    """
    require_whole(length, "length")
    if isinstance(start, int):
        require_whole(start, "start")
    else:
        start = whole_array(start, "start", axes=0)
    xp = namespace_of(start)
    steps = xp.arange(length, dtype=xp.int64, device=device_of(start))
    if isinstance(start, int):
        return start + steps
    return xp.astype(start, xp.int64)[..., None] + steps


def following(positions: Array, length: int) -> Array:
    """The next ``length`` positions after the last one of each row, ``(..., length)``, integers.

    positions  (..., t): where the tokens seen so far are; the last slot of every row is a real token

    Safe after evictions and under left padding, where counting the rows of a cache is not.

    >>> import numpy as np
    >>> following(np.asarray([[0, 1, 2], [0, 0, 1]]), 2).tolist()
    [[3, 4], [2, 3]]
    """
    positions = whole_array(positions, "positions")
    if not positions.shape[-1]:
        raise ClockhandsError(
            "positions are empty, so nothing can follow them: use from_offset(0, length)",
            "positions 是空的，后面无从接起：请用 from_offset(0, length)",
        )
    return from_offset(positions[..., -1] + 1, length)
