"""Ricker wavelets: their height, their zeros, their troughs, and the second derivative that they are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clockhands.formulas import ricker


@pytest.mark.parametrize("scale", [1.0, 4.0, 128.0])
@pytest.mark.parametrize("shift", [0.0, 15.0])
def test_peak_zeros_and_troughs(scale: float, shift: float) -> None:
    places = shift + scale * np.asarray([0, 1, -1, math.sqrt(3), -math.sqrt(3)])
    values = ricker(places, np.asarray([scale]), np.asarray([shift]))[:, 0]
    np.testing.assert_allclose(values, [1, 0, 0, -2 * math.exp(-1.5), -2 * math.exp(-1.5)], atol=1e-12)


def test_it_is_the_bent_bell() -> None:
    """Minus the second derivative of ``exp(-t**2 / 2)``, by differences."""
    step, t = 1e-4, np.linspace(-4, 4, 33)
    bell = [np.exp(-((t + move) ** 2) / 2) for move in (-step, 0, step)]
    bent = -(bell[0] - 2 * bell[1] + bell[2]) / step**2
    np.testing.assert_allclose(ricker(t, np.ones(1), np.zeros(1))[:, 0], bent, atol=1e-6)
    assert np.trapezoid(ricker(np.linspace(-20, 20, 4001), np.ones(1), np.zeros(1))[:, 0]) == pytest.approx(0)
