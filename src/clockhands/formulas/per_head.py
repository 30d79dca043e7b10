"""One number for each head, set against distances of any shape."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of


def per_head(values: Array, distance: Array) -> Array:
    """``(num_heads,)`` -> ``(num_heads, 1, ..., 1)``, which broadcasts with ``distance`` to one map a head.

    >>> import numpy as np
    >>> per_head(np.ones(3), np.zeros((4, 5))).shape
    (3, 1, 1)
    """
    return namespace_of(values).reshape(values, (-1, *(1 for _ in distance.shape)))
