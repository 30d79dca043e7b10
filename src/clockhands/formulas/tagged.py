"""Positions that move by a different step for each kind of token."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype


def tagged_positions(counts: Array, sensitivity: Array) -> Array:
    """``sum over tags of sensitivity * count``, ``(..., t)``: how far along each token is, in tokens.

    counts       (..., t, num_tags) integers, from ``positions.tag_counts``
    sensitivity  (num_tags,); gradients flow to it. All ones give back the plain positions, exactly
                 (small integers are exact in float32 and float64)

    >>> import numpy as np
    >>> tagged_positions(np.asarray([[0, 0], [1, 0], [1, 1]]), np.asarray([1.0, 0.5])).tolist()
    [0.0, 1.0, 1.5]
    """
    xp = namespace_of(counts, sensitivity)
    dtype = real_dtype(sensitivity)
    return xp.sum(as_dtype(counts, dtype) * as_dtype(sensitivity, dtype), axis=-1)
