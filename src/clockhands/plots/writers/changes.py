"""The part of a frame that differs from the one before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Change(NamedTuple):
    """A box of the page and its pixels; those that stay as they were hold ``TRANSPARENT``."""

    left: int
    top: int
    pixels: NDArray[np.uint8]


TRANSPARENT = 255


def change(before: NDArray[np.uint8] | None, after: NDArray[np.uint8]) -> Change:
    """The smallest box around the pixels that differ; one pixel if none does, all if there is no before.

    ``before`` and ``after`` are palette indices, ``(height, width)``.
    """
    if before is None:
        return Change(0, 0, after)
    differs = before != after
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return Change(0, 0, np.full((1, 1), TRANSPARENT, dtype=np.uint8))
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return Change(int(columns[0]), int(rows[0]), np.where(differs[box], after[box], np.uint8(TRANSPARENT)))
