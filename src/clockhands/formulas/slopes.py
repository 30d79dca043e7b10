"""ALiBi: a straight line per head, whose slopes depend on the number of heads."""

from __future__ import annotations

import math

from clockhands.arrays import Array, as_dtype, device_of, namespace_of, real_dtype, require_whole


def alibi_slopes(num_heads: int, like: Array | None = None) -> Array:
    """The slope of each head, ``(num_heads,)``, logits / token, in the order the published models use.

    A power of two has ``2 ** (-8 (h + 1) / num_heads)``. Any other count takes the slopes of the power of
    two below it, followed by every other slope of the power of two above it. ``like``: an array whose
    library, device and floating dtype to use; numpy float64 by default.
    Press et al. 2022 (arXiv 2108.12409), section 3 and its code, ``get_slopes``.

    >>> alibi_slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    require_whole(num_heads, "num_heads", least=1)
    below = 2 ** math.floor(math.log2(num_heads))
    exponents = [-8 * (h + 1) / below for h in range(below)]
    exponents += [-4 * (2 * h + 1) / below for h in range(num_heads - below)]
    xp = namespace_of(like)
    return 2.0 ** xp.asarray(exponents, dtype=real_dtype(like), device=device_of(like))


def alibi_bias(distance: Array, slopes: Array, symmetric: bool = False) -> Array:
    """``-slope * distance`` for each head, ``(num_heads, *distance.shape)``, logits.

    distance   query position - key position, tokens
    symmetric  use ``|distance|``: what a model without a causal mask needs. The plain line would reward
               keys for being further ahead of the query.

    >>> import numpy as np
    >>> alibi_bias(np.asarray([0, 1, 2]), np.asarray([0.5])).tolist()
    [[0.0, -0.5, -1.0]]
    """
    xp = namespace_of(distance, slopes)
    return alibi_bias_at(distance, xp.reshape(slopes, (-1, *(1 for _ in distance.shape))), symmetric)


def alibi_bias_at(distance: Array, slope: Array, symmetric: bool = False) -> Array:
    """``-slope * distance`` element by element, in the dtype of ``slope``; the two broadcast.

    >>> import numpy as np
    >>> alibi_bias_at(np.asarray([1, 2]), np.asarray([0.5, 0.25])).tolist()
    [-0.5, -0.5]
    """
    xp = namespace_of(distance, slope)
    dtype = real_dtype(slope)
    # Taken from 0 as a real number: minus an unsigned integer wraps around, and minus 0.0 is shown as -0.0.
    return as_dtype(slope, dtype) * (0 - as_dtype(xp.abs(distance) if symmetric else distance, dtype))
