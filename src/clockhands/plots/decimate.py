"""Large tables brought down to what a screen can show, every number counted once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def block_means(values: NDArray[Any], most: tuple[int, int]) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """Means over blocks so that at most ``most`` (rows, columns) remain, and the block size (rows, columns).

    A table that is small enough comes back as it is. Blocks are all of one size but the last, which
    holds what is left over: nothing is lost, nothing counted twice. Taking every n-th value
    instead would draw waves that are not there.

    >>> block_means(np.array([[1.0, 3.0, 5.0]]), (1, 2))[0].tolist()
    [[2.0, 5.0]]
    """
    steps = tuple(-(-length // limit) for length, limit in zip(values.shape, most, strict=True))
    means = np.asarray(values, dtype=np.float64)
    for axis, step in enumerate(steps):
        if step > 1:
            starts = np.arange(0, means.shape[axis], step)
            lengths = np.diff(np.append(starts, means.shape[axis]))
            sums = np.add.reduceat(means, starts, axis=axis)
            means = sums / (lengths[:, None] if axis == 0 else lengths)
    return means, (steps[0], steps[1])


def envelope(values: NDArray[Any], most: int) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
    """Start index, minimum and maximum of each of at most ``most`` blocks of a curve.

    Drawn as a band they look like the whole curve would: no peak is lost between two pixels.
    """
    step = -(-len(values) // most)
    starts = np.arange(0, len(values), step)
    return starts, np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
