"""Positions of what is left of a cache when tokens have been evicted from it."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from clockhands.arrays import (
    Array,
    device_of,
    namespace_of,
    require_whole,
    require_word,
    taken,
    whole_array,
    whole_row,
)

Counting = Literal["text", "cache"]
"""Where a kept token is: where it was in the text, or which row of the cache holds it."""


class Kept(NamedTuple):
    """``positions`` ``(..., kept)`` of the tokens kept, and ``following`` ``(..., 1)`` of the next token."""

    positions: Array
    following: Array


def kept_slots(length: int, sinks: int, window: int, *, like: Array | None = None) -> Array:
    """The slots that StreamingLLM keeps of ``length``: the first ``sinks`` and the last ``window``; integers.

    All of them where they are no more than both together. Xiao et al. 2023 (arXiv 2309.17453), section 3.2.

    >>> kept_slots(10, sinks=2, window=3).tolist()
    [0, 1, 7, 8, 9]
    """
    require_whole(length, "length")
    require_whole(sinks, "sinks")
    require_whole(window, "window", least=1)
    xp = namespace_of(like)
    slots = xp.arange(length, dtype=xp.int64, device=device_of(like))
    if length <= sinks + window:
        return slots
    return xp.concat([slots[:sinks], slots[length - window :]])


def after_eviction(positions: Array, slots: Array, counting: Counting = "text") -> Kept:
    """Positions of the tokens that were kept, and of the one that follows; ``(..., kept)`` and ``(..., 1)``.

    positions  (..., t) of all tokens before the eviction, the last slot of every row a real token
    slots      (kept,) integers, which of them are kept, in order
    counting   ``text``: they stay where they were, so kept keys stay as they are turned, and the next token
               follows the last one seen, not the number of rows. ``cache``: rows are counted anew from 0
               (StreamingLLM), so no distance is larger than the cache, but keys must be kept unturned or be
               turned again

    >>> import numpy as np
    >>> after_eviction(np.arange(10), np.asarray([0, 8, 9])).following.tolist()
    [10]
    >>> after_eviction(np.arange(10), np.asarray([0, 8, 9]), "cache").positions.tolist()
    [0, 1, 2]
    """
    require_word(counting, "counting", get_args(Counting))
    positions, slots = whole_array(positions, "positions"), whole_row(slots, "slots")
    kept = taken(positions, slots, "slots", axis=-1)
    if counting == "text":
        return Kept(kept, positions[..., -1:] + 1)
    xp = namespace_of(positions)
    count = slots.shape[0]
    rows = xp.arange(count + 1, dtype=xp.int64, device=device_of(positions))
    rows = xp.broadcast_to(rows, (*positions.shape[:-1], count + 1))
    return Kept(rows[..., :count], rows[..., count:])
