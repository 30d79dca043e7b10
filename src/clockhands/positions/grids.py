"""Positions of patches on a grid: rows and columns of an image, and the frames of a video."""

from __future__ import annotations

from math import prod

from clockhands.arrays import Array, device_of, namespace_of, require_whole
from clockhands.errors import ClockhandsError


def from_grid(*sizes: int, like: Array | None = None) -> Array:
    """Positions of every patch in reading order, ``(product of sizes, len(sizes))`` integers.

    sizes  how many there are on each axis: rows, columns; or frames, rows, columns
    like   an array whose library and device to use; numpy by default

    >>> from_grid(2, 3).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    if not sizes:
        raise ClockhandsError(
            "sizes are missing, and a grid has one axis or more: give how many patches there are on each",
            "没有给出 sizes，而网格至少要有一个轴：请给出每个轴上的图块数",
        )
    for axis, size in enumerate(sizes):
        require_whole(size, f"size {axis} of the grid")
    require_whole(prod(map(int, sizes)), "the number of patches")
    xp = namespace_of(like)
    counts = [xp.arange(size, dtype=xp.int64, device=device_of(like)) for size in sizes]
    axes = xp.meshgrid(*counts, indexing="ij")
    return xp.reshape(xp.stack(axes, axis=-1), (-1, len(sizes)))
