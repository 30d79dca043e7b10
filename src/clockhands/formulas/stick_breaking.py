"""A stick that each key breaks a piece off, nearest first."""

from __future__ import annotations

from clockhands.arrays import Array, cumulative_sum, namespace_of


def stick_breaking(logits: Array, visible: Array) -> Array:
    """``A_mn = sigmoid(z_mn) * product over visible l between n and m of (1 - sigmoid(z_ml))``.

    logits   (..., tq, tk)
    visible  the same or broadcast, bool: keys that may break a piece off; the others get weight 0

    The nearest key is the last one. What no key takes is left over, so a row sums to 1 at most.
    Tan et al. 2024 (arXiv 2410.17980), equation 2, in logarithms.

    >>> import numpy as np
    >>> stick_breaking(np.zeros((1, 3)), np.asarray([True])).round(3).tolist()
    [[0.125, 0.25, 0.5]]
    """
    xp = namespace_of(logits)
    nothing = xp.zeros_like(logits)
    taken, left = -xp.logaddexp(nothing, -logits), -xp.logaddexp(nothing, logits)
    left = xp.where(visible, left, nothing)
    kept = xp.flip(cumulative_sum(xp.flip(left, axis=-1)), axis=-1)
    nearer = xp.concat([kept[..., 1:], nothing[..., :1]], axis=-1)
    return xp.where(visible, xp.exp(taken + nearer), nothing)
