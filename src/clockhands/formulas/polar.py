"""Polar coordinates: contents are lengths, positions are angles."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype


def polar(x: Array, angle: Array) -> Array:
    """Each dimension as a hand of length ``softplus(x)`` at ``angle``: ``[cosines; sines]``, ``(..., 2 d)``.

    x      (..., d)
    angle  (..., d), rad, broadcast against x; cos and sin are cast last

    Calculates in the dtype of ``x``, at least float32, and returns the dtype of ``x``. The dot product of two
    of them is ``sum of length * length * cos(difference of angles)``. Gopalakrishnan et al. 2025
    (arXiv 2509.10534), equations 3 to 8.

    >>> import numpy as np
    >>> polar(np.asarray([0.0]), np.asarray([0.0])).round(4).tolist()
    [0.6931, 0.0]
    """
    xp = namespace_of(x, angle)
    dtype = real_dtype(x)
    wide = as_dtype(x, dtype)
    length = xp.logaddexp(wide, xp.zeros_like(wide))
    parts = [length * as_dtype(turned, dtype) for turned in (xp.cos(angle), xp.sin(angle))]
    return xp.astype(xp.concat(parts, axis=-1), x.dtype)
