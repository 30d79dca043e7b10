"""Magnitudes that change along the text: xPos' decay of each hand, and temperatures that grow in steps."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype
from clockhands.formulas.frequencies.geometric import count_up


def xpos_bases(head_dim: int, *home: Array) -> Array:
    """By how much the score of each hand fades in ``scale_base`` tokens, ``(head_dim/2,)``, slow hands least.

    ``(2i / d + 0.4) / 1.4``. Sun et al. 2022 (arXiv 2212.10554), section 3.2.

    >>> xpos_bases(64)[[0, -1]].round(6).tolist()
    [0.285714, 0.977679]
    """
    return (2 * count_up(head_dim // 2, *home) / head_dim + 0.4) / 1.4


def stepped_temperature(positions: Array, beta: float, length: int) -> Array:
    """``1 + beta * ln(1 + floor(position / length))``: constant within a length, then a step up.

    Llama 4's layers without position give ``positions + 1`` (transformers 5.24, ``modeling_llama4.py``),
    Ministral 3 gives positions (``modeling_ministral3.py``). Same dtype rule as ``formulas.angles``.

    >>> import numpy as np
    >>> stepped_temperature(np.asarray([0, 9, 10, 25]), 0.1, 10).round(4).tolist()
    [1.0, 1.0, 1.0693, 1.1099]
    """
    xp = namespace_of(positions)
    places = as_dtype(positions, real_dtype(positions))
    return 1 + beta * xp.log1p(xp.floor(places / length))
