"""What stands at some slots of a row."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of
from clockhands.errors import ClockhandsError


def at_slots(positions: Array, slots: Array) -> Array:
    """``positions[..., slots]``, ``(..., len(slots))``; ClockhandsError for a slot that there is not.

    >>> import numpy as np
    >>> at_slots(np.asarray([[5, 6, 7]]), np.asarray([2, 0])).tolist()
    [[7, 5]]
    """
    try:
        return namespace_of(positions).take(positions, slots, axis=-1)
    except IndexError as error:
        count = positions.shape[-1]
        raise ClockhandsError(
            f"slots hold a number that {count} positions don't have: use 0 to {count - 1}",
            f"slots 里有超出范围的数（positions 只有 {count} 个）：请用 0 到 {count - 1}",
        ) from error
