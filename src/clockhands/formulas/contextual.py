"""Positions that are counted by gates, and a table that is read between its rows."""

from __future__ import annotations

from clockhands.arrays import Array, cumulative_sum, namespace_of


def contextual_positions(gates: Array, most: float) -> Array:
    """``p_mn = sum of gates over the keys from n to m``, at most ``most``; ``(..., tq, tk)``, tokens.

    gates  (..., tq, tk) from 0 to 1, zero for every key that the query may not see (those after it too)

    Golovneva et al. 2024 (arXiv 2405.18719), equation 4. With all gates 1 it is ``m - n + 1``.

    >>> import numpy as np
    >>> contextual_positions(np.asarray([[1.0, 0.5, 1.0, 0.0]]), 2.0).tolist()
    [[2.0, 1.5, 1.0, 0.0]]
    """
    xp = namespace_of(gates)
    counted = xp.flip(cumulative_sum(xp.flip(gates, axis=-1)), axis=-1)
    return xp.clip(counted, max=most)


def interpolated(values: Array, positions: Array) -> Array:
    """``values`` at real ``positions``, on the straight line between the two whole ones around each.

    values     (..., tq, rows)
    positions  (..., tq, tk) from 0 to rows - 1

    Golovneva et al. 2024 (arXiv 2405.18719), equation 5: the same as interpolating the vectors first.

    >>> import numpy as np
    >>> interpolated(np.asarray([[0.0, 10.0]]), np.asarray([[0.0, 0.25, 1.0]])).tolist()
    [[0.0, 2.5, 10.0]]
    """
    xp = namespace_of(values, positions)
    lower, upper = xp.floor(positions), xp.ceil(positions)
    below = xp.take_along_axis(values, xp.astype(lower, xp.int64), axis=-1)
    above = xp.take_along_axis(values, xp.astype(upper, xp.int64), axis=-1)
    share = positions - lower
    return above * share + below * (1 - share)
