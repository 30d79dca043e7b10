"""Weighing the sinusoid of every distance without ever making it."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of


def weigh_distance_sinusoid(weights: Array, q_angles: Array, k_angles: Array) -> Array:
    """``weights . [sin((m - n) w); cos((m - n) w)]`` for every query m and key n, ``(..., tq, tk)``.

    weights   (..., tq, 2 * pairs): for each query, those of the sines, then those of the cosines
    q_angles  (..., tq, pairs), rad: position of each query times its frequencies
    k_angles  (..., tk, pairs), rad

    The sine and cosine of a difference are products of those of its parts, so turning the weights by the
    query's angles leaves one matrix product with the sinusoids of the keys. Positions may have gaps, and
    there is no table of distances to build, to shift or to run out of.
    The sum itself is term (b) + (d) of Dai et al. 2019 (arXiv 1901.02860), section 3.3.

    >>> import numpy as np
    >>> position = np.asarray([[3.0]])
    >>> weigh_distance_sinusoid(np.asarray([[0.0, 1.0]]), position, position).round(9).tolist()
    [[1.0]]
    """
    xp = namespace_of(weights)
    pairs = q_angles.shape[-1]
    of_sin, of_cos = weights[..., :pairs], weights[..., pairs:]
    q_sin, q_cos, k_sin, k_cos = (
        xp.astype(wave(angle), weights.dtype) for angle in (q_angles, k_angles) for wave in (xp.sin, xp.cos)
    )
    turned = xp.concat([of_cos * q_sin - of_sin * q_cos, of_sin * q_sin + of_cos * q_cos], axis=-1)
    return turned @ xp.matrix_transpose(xp.concat([k_sin, k_cos], axis=-1))
