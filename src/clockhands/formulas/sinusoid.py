"""The sinusoidal table in every convention in use."""

from __future__ import annotations

from typing import Literal, get_args

from clockhands.arrays import Array, namespace_of, require_word
from clockhands.formulas.rotation import angles

Arrangement = Literal["interleaved", "concatenated"]
First = Literal["sin", "cos"]


def sinusoid(
    positions: Array,
    inv_freq: Array,
    arrangement: Arrangement = "interleaved",
    first: First = "sin",
    width: int | None = None,
) -> Array:
    """Sines and cosines of every hand at every position, ``(*positions.shape, width)``.

    positions     tokens; integers, or floats for augmented positions
    inv_freq      (pairs,), rad / token
    arrangement   ``interleaved``: sin, cos, sin, cos, …; ``concatenated``: all of one, then all of the other
    first         which of the two comes first in each pair, or which half
    width         ``2 * pairs`` (default), or one less: then the last, slowest hand keeps only its sine.
                  Its cosine is the dimension that says least, near 1 at every position in use.

    Vaswani et al. 2017 (arXiv 1706.03762), section 3.5.

    >>> import numpy as np
    >>> sinusoid(np.asarray([1]), np.asarray([1.0, 0.1])).round(6).tolist()
    [[0.841471, 0.540302, 0.099833, 0.995004]]
    """
    require_word(arrangement, "arrangement", get_args(Arrangement))
    require_word(first, "first", get_args(First))
    xp = namespace_of(positions, inv_freq)
    turned = angles(positions, inv_freq)
    pairs = inv_freq.shape[-1]
    full = 2 * pairs
    kept = full if width is None else width
    sines, cosines = xp.sin(turned), xp.cos(turned)
    if arrangement == "concatenated":
        cosines = cosines[..., : kept // 2]
        return xp.concat([sines, cosines] if first == "sin" else [cosines, sines], axis=-1)
    both = xp.stack([sines, cosines] if first == "sin" else [cosines, sines], axis=-1)
    table = xp.reshape(both, (*turned.shape[:-1], full))
    if kept == full:
        return table
    return xp.concat([table[..., : kept - 1], sines[..., -1:]], axis=-1)
