"""Sandwich: the inner product of two sinusoidal rows, used as a bias."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype


def sandwich_speeds(dim: int = 128, base: float = 10000.0) -> Array:
    """``base ** (-2i / dim)`` for i = 1 … dim / 2, ``(dim / 2,)``, rad / token, numpy float64.

    The paper counts i from 1, so the fastest hand of the usual sinusoid (i = 0) is not among them.
    Chi et al. 2023 (arXiv 2212.10356).

    >>> sandwich_speeds(4).tolist()
    [0.01, 0.0001]
    """
    xp = namespace_of()
    return base ** (-2.0 * xp.arange(1, dim // 2 + 1, dtype=xp.float64) / dim)


def sandwich_kernel(distance: Array, speeds: Array) -> Array:
    """``sum over i of cos(speeds[i] * distance)``, same shape as ``distance``, in the dtype of ``speeds``.

    Added up hand by hand, so that no array with all hands of all pairs is ever made.

    >>> import numpy as np
    >>> sandwich_kernel(np.asarray([0, 1]), np.asarray([1.0, 0.5])).round(3).tolist()
    [2.0, 1.418]
    """
    xp = namespace_of(distance, speeds)
    along = as_dtype(distance, real_dtype(speeds))
    total = xp.zeros_like(along)
    for hand in range(speeds.shape[0]):
        total = total + xp.cos(along * speeds[hand])
    return total


def sandwich_factors(num_heads: int) -> Array:
    """What multiplies the kernel in head h = 1 … H: ``H / (8 h)``, ``(num_heads,)``, logits, numpy float64.

    The ratios ``8 h / H`` are the exponents of ALiBi's slopes.

    >>> sandwich_factors(4).tolist()
    [0.5, 0.25, 0.16666666666666666, 0.125]
    """
    xp = namespace_of()
    return num_heads / (8.0 * xp.arange(1, num_heads + 1, dtype=xp.float64))
