"""A learned table of image positions for an image of another size."""

from __future__ import annotations

from typing import Literal, get_args

from clockhands.arrays import Array, device_of, namespace_of, require_word

Method = Literal["bicubic", "bilinear"]


def resized_grid(
    table: Array, old: tuple[int, int], new: tuple[int, int], method: Method = "bicubic"
) -> Array:
    """Rows of an ``old = (height, width)`` grid, ``(height * width, d)``, for a ``new`` grid, row by row.

    Cells keep their area (``align_corners=False``), and beyond the border its nearest cell is repeated;
    nothing is smoothed before shrinking. At the same size the table comes back exactly.

    ViT: Dosovitskiy et al. 2020 (arXiv 2010.11929), section 3.2; kernels as torch's ``interpolate`` has them,
    cubic with a = -0.75 (Keys 1981).

    >>> import numpy as np
    >>> resized_grid(np.asarray([[0.0], [4.0]]), (1, 2), (1, 4), "bilinear").ravel().tolist()
    [0.0, 1.0, 3.0, 4.0]
    """
    require_word(method, "method", get_args(Method))
    xp = namespace_of(table)
    width = table.shape[-1]
    grid = xp.reshape(table, (*old, width))
    down, across = (_weights(table, *sizes, method) for sizes in zip(old, new, strict=True))
    rows = xp.reshape(down @ xp.reshape(grid, (old[0], old[1] * width)), (new[0], old[1], width))
    return xp.reshape(across @ rows, (new[0] * new[1], width))


def _weights(table: Array, old: int, new: int, method: Method) -> Array:
    """How much of each old cell a new one takes, ``(new, old)``."""
    xp = namespace_of(table)
    cells = xp.arange(new, dtype=table.dtype, device=device_of(table))
    middle = (cells + 0.5) * (old / new) - 0.5
    below = xp.floor(middle)
    places = xp.arange(old, dtype=table.dtype, device=device_of(table))
    total = xp.zeros_like(cells)[:, None] * places
    for tap in (0, 1) if method == "bilinear" else (-1, 0, 1, 2):
        cell = below + tap
        share = _linear(middle - cell) if method == "bilinear" else _cubic(middle - cell)
        inside = xp.where(cell < 0, 0 * cell, xp.where(cell > old - 1, 0 * cell + old - 1, cell))
        total = total + share[:, None] * xp.astype(inside[:, None] == places, table.dtype)
    return total


def _linear(away: Array) -> Array:
    return 1 - namespace_of(away).abs(away)


def _cubic(away: Array, a: float = -0.75) -> Array:
    xp = namespace_of(away)
    x = xp.abs(away)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return xp.where(x <= 1, near, far)
