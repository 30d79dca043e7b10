"""Learnable Fourier features: hands whose speeds are trained, read by a small network."""

from __future__ import annotations

import math

from clockhands.arrays import Array, as_dtype, namespace_of
from clockhands.formulas.rotation import angles


def fourier_features(positions: Array, frequencies: Array) -> Array:
    """``[cos(p w), sin(p w)] / sqrt(2 pairs)``, ``(*positions.shape, 2 * pairs)``; each has length sqrt(1/2).

    frequencies  (pairs,) rad / token. The dot product of two positions is the mean of ``cos(w (p - q)) / 2``:
                 for speeds drawn from N(0, 1 / gamma^2) near ``exp(-(p - q)^2 / (2 gamma^2)) / 2``

    Li et al. 2021 (arXiv 2106.02795), equation 3.

    >>> import numpy as np
    >>> fourier_features(np.asarray([0]), np.asarray([1.0, 0.1])).tolist()
    [[0.5, 0.5, 0.0, 0.0]]
    """
    xp = namespace_of(positions, frequencies)
    turned = angles(positions, frequencies)
    return xp.concat([xp.cos(turned), xp.sin(turned)], axis=-1) / math.sqrt(2 * frequencies.shape[-1])


def fourier_table(
    positions: Array, frequencies: Array, hidden: Array, hidden_bias: Array, output: Array, bias: Array
) -> Array:
    """``gelu(r W1 + b1) W2 + b2`` of the features r, ``(*positions.shape, d)``. The same paper, equation 4.

    hidden  (2 * pairs, h); hidden_bias (h,); output (h, d); bias (d,). gelu in its tanh form (Hendrycks and
    Gimpel 2016, arXiv 1606.08415).
    """
    features = fourier_features(positions, frequencies)
    weights = (as_dtype(each, features.dtype) for each in (hidden, hidden_bias, output, bias))
    hidden, hidden_bias, output, bias = weights
    return _gelu(features @ hidden + hidden_bias) @ output + bias


def _gelu(x: Array) -> Array:
    xp = namespace_of(x)
    return 0.5 * x * (1 + xp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
