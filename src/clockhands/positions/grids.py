"""Positions of patches on a grid: rows and columns of an image, and the frames of a video."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of


def from_grid(*sizes: int, like: Array | None = None) -> Array:
    """Positions of every patch in reading order, ``(product of sizes, len(sizes))`` integers.

    sizes  how many there are on each axis: rows, columns; or frames, rows, columns
    like   an array whose library and device to use; numpy by default

    >>> from_grid(2, 3).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    xp = namespace_of(like)
    counts = [xp.arange(size, dtype=xp.int64, device=device_of(like)) for size in sizes]
    axes = xp.meshgrid(*counts, indexing="ij")
    return xp.reshape(xp.stack(axes, axis=-1), (-1, len(sizes)))
