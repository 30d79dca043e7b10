"""CARoPE: how fast the hands turn is read from each token."""

from __future__ import annotations

import math

from clockhands.arrays import Array, device_of, namespace_of


def context_frequency(projected: Array) -> Array:
    """``f = 1 / (softplus(x) + 1)``, between 0 and 1, of any shape.

    Veisi, Fartoot and Amirzadeh 2025 (arXiv 2507.23083).

    >>> import numpy as np
    >>> context_frequency(np.asarray([-50.0, 0.0])).round(4).tolist()
    [1.0, 0.5906]
    """
    xp = namespace_of(projected)
    return 1 / (xp.logaddexp(projected, xp.zeros_like(projected)) + 1)


def projected_for(frequency: float) -> float:
    """What gives this frequency, between 0 and 1: ``context_frequency`` backwards.

    >>> round(projected_for(0.5), 6)
    0.541325
    """
    gap = 1 / frequency - 1
    return gap + math.log(-math.expm1(-gap))


def frequency_powers(frequency: Array, pairs: int) -> Array:
    """``frequency ** i`` for i = 0 … pairs - 1, ``(..., pairs)``, rad: how far a token turns each hand.

    With ``frequency = rope_theta ** (-2 / head_dim)`` these are RoPE's frequencies.

    >>> import numpy as np
    >>> frequency_powers(np.asarray([0.5]), 3).tolist()
    [[1.0, 0.5, 0.25]]
    """
    xp = namespace_of(frequency)
    return frequency[..., None] ** xp.arange(pairs, dtype=frequency.dtype, device=device_of(frequency))
