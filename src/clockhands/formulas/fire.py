"""FIRE: a learned curve over a distance that is measured against the length seen so far."""

from __future__ import annotations

from clockhands.arrays import Array, Number, as_dtype, namespace_of, real_dtype

EPSILON = 1e-6
"""Added below the line by the paper's code; without it, c = 0 would divide by zero."""


def fire_input(position: Array, distance: Array, c: Number, threshold: Array) -> Array:
    """``psi(|distance|) / psi(max(position, threshold))`` with ``psi(x) = ln(|c x| + 1)``, between 0 and 1.

    position   of the query, tokens; broadcasts with ``distance`` = query position - key position
    threshold  shorter texts are measured as if they were this long, tokens; an array, which sets the dtype

    Past the threshold it hangs on the query's own position, so it isn't a function of the distance alone.
    Li et al. 2024 (arXiv 2310.04418); code in ``mcleish7/arithmetic``
    @55af9d5, ``cramming/architectures/embeddings.py``.

    >>> import numpy as np
    >>> fire_input(np.asarray([100, 1000]), np.asarray([100, 500]), 0.1, np.asarray(512.0)).round(6).tolist()
    [0.606282, 0.851944]
    """
    xp = namespace_of(position, distance, threshold)
    dtype = real_dtype(threshold)
    length = xp.maximum(as_dtype(position, dtype), as_dtype(threshold, dtype))
    spread = xp.log1p(xp.abs(c * as_dtype(distance, dtype)))
    return spread / (xp.log1p(xp.abs(c * length)) + EPSILON)
