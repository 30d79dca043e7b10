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


def toeplitz_means(values: NDArray[Any], count: int, most: int) -> tuple[NDArray[np.float64], int]:
    """The map ``f(i - j)`` of ``count`` rows and columns from its one curve, as means over blocks.

    values  ``f`` at the distances ``-(count - 1) .. count - 1``, ``(2 count - 1,)``; NaN where nothing is
            allowed: means are over what is, and a block with nothing in it is NaN
    Returns the means, at most ``most`` rows and columns, and the block size. The map itself is never
    built: a block's sum is four entries of a curve summed up twice.

    >>> toeplitz_means(np.array([np.nan, 0.0, -1.0]), 2, 9)[0].tolist()
    [[0.0, nan], [-1.0, 0.0]]
    """
    step = -(-count // most)
    edges = np.append(np.arange(0, count, step), count)
    if step == 1:
        rows = np.arange(count)
        return np.asarray(values, dtype=np.float64)[rows[:, None] - rows[None, :] + count - 1], 1
    allowed = np.isfinite(values)
    sums = _block_sums(np.where(allowed, values, 0.0), edges, count)
    counts = _block_sums(allowed.astype(np.float64), edges, count)
    empty = counts < 0.5
    return np.where(empty, np.nan, sums / np.where(empty, 1.0, counts)), step


def _block_sums(values: NDArray[np.float64], edges: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    once = np.concatenate([[0.0], np.cumsum(values)])
    twice = np.concatenate([[0.0], np.cumsum(once)])  # twice[x] = sum of once[0 .. x-1]
    low, high = edges[:-1], edges[1:]

    def corner(row: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.float64]:
        return twice[row[:, None] - column[None, :] + count]

    return corner(high, low) - corner(high, high) - corner(low, low) + corner(low, high)
