"""KERPLE: biases from conditionally positive-definite kernels of the distance."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype


def kerple_log_at(distance: Array, r1: Array, r2: Array) -> Array:
    """``-r1 * ln(1 + r2 * |distance|)``, logits; all three broadcast.

    r1, r2  positive, logits and 1 / tokens. Chi et al. 2022 (arXiv 2205.09921), logarithmic variant

    >>> import numpy as np
    >>> kerple_log_at(np.asarray([0, 10]), np.asarray(1.0), np.asarray(1.0)).round(4).tolist()
    [0.0, -2.3979]
    """
    return 0 - r1 * namespace_of(r1).log1p(r2 * _far(distance, r1))


def kerple_power_at(distance: Array, r1: Array, r2: Array) -> Array:
    """``-r1 * |distance| ** r2``, logits; all three broadcast.

    r1  positive; r2  above 0, at most 2: 1 is ALiBi's straight line, 2 a Gaussian window. Chi et al. 2022
        (arXiv 2205.09921), power variant

    >>> import numpy as np
    >>> kerple_power_at(np.asarray([0, 3]), np.asarray(0.5), np.asarray(2.0)).tolist()
    [0.0, -4.5]
    """
    return 0 - r1 * _far(distance, r1) ** r2


def _far(distance: Array, like: Array) -> Array:
    return as_dtype(namespace_of(distance, like).abs(distance), real_dtype(like))
