"""Hands that are sums of waves: Fourier position embedding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.arrays import Array


def fourier_coefficients(waves: int, gain: float, seed: int) -> NDArray[np.float64]:
    """How much of each wave (row) each dimension (column) takes, ``(2, waves, waves)``: cosines, then sines.

    The identity plus noise of variance ``gain ** 2 / waves`` (Xavier), each column divided by its sum, so a
    dimension takes mostly its own wave. Hua et al. 2024 (arXiv 2412.17739), pseudo-code in the appendix.

    >>> fourier_coefficients(2, 0.0, 0)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    noise = np.random.default_rng(seed).normal(0.0, gain / max(waves, 1) ** 0.5, (2, waves, waves))
    mixed = np.eye(waves) + noise
    return mixed / mixed.sum(axis=-2, keepdims=True)


def summed_waves(waves: Array, coefficients: Array) -> Array:
    """``sum_j coefficients[j, i] * waves[..., j]``, in the dtype of both.

    >>> summed_waves(np.array([1.0, 10.0]), np.array([[1.0, 0.5], [0.0, 0.5]])).tolist()
    [1.0, 5.5]
    """
    return waves @ coefficients
