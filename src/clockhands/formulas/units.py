"""A layer of ReLU units: how a learned curve over distances is written down."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of


def relu_curves(inputs: Array, units: Array) -> Array:
    """``sum over units of out_h * max(0, inputs . weights + offset)``, ``(..., num_heads)``.

    inputs  ``(..., n)``
    units   ``(width, n + 1 + num_heads)``: for each unit the weights of the n inputs, its offset, and what it
            gives to each head. There is no offset after the units

    >>> import numpy as np
    >>> relu_curves(np.asarray([[3.0], [1.0]]), np.asarray([[1.0, -2.0, 0.5]])).tolist()
    [[0.5], [0.0]]
    """
    xp = namespace_of(inputs, units)
    n = inputs.shape[-1]
    met = inputs @ units[:, :n].T + units[:, n]
    return xp.where(met > 0, met, xp.zeros_like(met)) @ units[:, n + 1 :]
