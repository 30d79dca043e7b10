"""Codes of a whole number that need no sine: one of many, binary digits, Gray's digits."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of

_MOST_BITS = 62
"""Of a signed 64-bit integer that may still be shifted; higher digits of any position in use are 0."""


def one_hot(positions: Array, width: int) -> Array:
    """A one in column ``position`` and zeros elsewhere, ``(*positions.shape, width)`` integers.

    >>> import numpy as np
    >>> one_hot(np.asarray([2]), 4).tolist()
    [[0, 0, 1, 0]]
    """
    xp = namespace_of(positions)
    columns = xp.arange(width, dtype=positions.dtype, device=device_of(positions))
    return xp.astype(positions[..., None] == columns, xp.int64)


def binary(positions: Array, width: int) -> Array:
    """Digit j in base 2, ``(*positions.shape, width)`` integers, lowest first; it repeats after ``2^width``.

    >>> import numpy as np
    >>> binary(np.asarray([6, 8]), 3).tolist()
    [[0, 1, 1], [0, 0, 0]]
    """
    return _digits(positions, width)


def gray(positions: Array, width: int) -> Array:
    """Gray's reflected digits, ``p XOR (p >> 1)``: from each position to the next exactly one changes.

    ``(*positions.shape, width)`` integers, lowest first; it repeats after ``2^width``, also by one change.

    >>> import numpy as np
    >>> gray(np.arange(4), 2).tolist()
    [[0, 0], [1, 0], [1, 1], [0, 1]]
    """
    inside = positions % 2**width if width < _MOST_BITS else positions
    return _digits(inside ^ (inside >> 1), width)


def _digits(numbers: Array, width: int) -> Array:
    xp = namespace_of(numbers)
    places = xp.arange(width, dtype=numbers.dtype, device=device_of(numbers))
    shifted = numbers[..., None] >> xp.where(places < _MOST_BITS, places, 0 * places + _MOST_BITS)
    return xp.where(places < _MOST_BITS, shifted % 2, 0 * shifted)
