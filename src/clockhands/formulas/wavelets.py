"""Ricker wavelets of several widths and places, as functions of a distance."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype


def ricker(distance: Array, scales: Array, shifts: Array) -> Array:
    """``(1 - t**2) * exp(-t**2 / 2)`` with ``t = (distance - shift) / scale``, ``(*distance.shape, waves)``.

    distance  query position - key position, tokens
    scales    (waves,), tokens: t = 1 is where a wave crosses zero
    shifts    (waves,), tokens: the distance at which a wave has its peak, 1

    All waves are equally high, unlike in a wavelet transform, where the height falls with the scale.
    Oka et al. 2025 (arXiv 2502.02004), equations 11, 12 and 14.

    >>> import numpy as np
    >>> ricker(np.asarray([0, 1]), np.asarray([1.0]), np.asarray([0.0])).tolist()
    [[1.0], [0.0]]
    """
    xp = namespace_of(distance, scales)
    dtype = real_dtype(distance, scales)
    square = ((as_dtype(distance, dtype)[..., None] - shifts) / scales) ** 2
    return (1 - square) * xp.exp(-square / 2)
