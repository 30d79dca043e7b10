"""The sinusoidal table: printed values, every convention, and the clock-hand identity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.formulas import sinusoid, sinusoid_inv_freq

ARRANGEMENTS, FIRSTS = ("interleaved", "concatenated"), ("sin", "cos")


def entry(position: float, i: int, width: int) -> tuple[float, float]:
    angle = position / 10000 ** (2 * i / width)
    return math.sin(angle), math.cos(angle)


def test_values_at_width_8() -> None:
    table = sinusoid(np.asarray([0, 1, 2]), sinusoid_inv_freq(8))
    expected = [
        [0, 1, 0, 1, 0, 1, 0, 1],
        [0.84147098, 0.54030231, 0.09983342, 0.99500417, 0.00999983, 0.99995, 0.001, 0.9999995],
        [0.90929743, -0.41614684, 0.19866933, 0.98006658, 0.01999867, 0.9998, 0.002, 0.999998],
    ]
    np.testing.assert_allclose(table, expected, atol=6e-9)


def test_odd_width_5_has_two_cosines() -> None:
    table = sinusoid(np.asarray([1]), sinusoid_inv_freq(5), width=5)
    np.testing.assert_allclose(table[0], [0.841471, 0.540302, 0.025116, 0.999685, 0.000631], atol=6e-7)


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("first", FIRSTS)
@pytest.mark.parametrize("width", [1, 2, 5, 6, 7])
def test_every_convention_dimension_by_dimension(arrangement, first, width: int) -> None:
    pairs = [entry(3, i, width) for i in range((width + 1) // 2)]
    sines, cosines = [s for s, _ in pairs], [c for _, c in pairs][: width // 2]
    if arrangement == "concatenated":
        expected = sines + cosines if first == "sin" else cosines + sines
    else:
        expected = []
        for i, (sine, cosine) in enumerate(pairs):
            if i < width // 2:
                expected += [sine, cosine] if first == "sin" else [cosine, sine]
            else:
                expected += [sine]
    table = sinusoid(np.asarray([3]), sinusoid_inv_freq(width), arrangement, first, width)
    assert table.shape == (1, width)
    np.testing.assert_allclose(table[0], expected, atol=1e-12)


@given(st.integers(0, 10**5), st.integers(-(10**4), 10**4), st.integers(1, 20))
def test_moving_by_k_is_one_rotation_everywhere(position: int, k: int, pairs: int) -> None:
    inv_freq = sinusoid_inv_freq(2 * pairs)
    here, there = sinusoid(np.asarray([position, position + k]), inv_freq).reshape(2, pairs, 2)
    cos, sin = np.cos(k * inv_freq), np.sin(k * inv_freq)
    turned = np.stack([here[:, 0] * cos + here[:, 1] * sin, here[:, 1] * cos - here[:, 0] * sin], -1)
    np.testing.assert_allclose(turned, there, atol=1e-10)


@pytest.mark.parametrize(
    ("width", "distance"), [(8, 0.96410), (32, 1.171623), (128, 1.952596), (512, 3.714270)]
)
def test_neighbours_are_equally_far_apart_everywhere(width: int, distance: float) -> None:
    table = sinusoid(np.arange(200), sinusoid_inv_freq(width))
    steps = np.linalg.norm(np.diff(table, axis=0), axis=1)
    np.testing.assert_allclose(steps, distance, atol=6e-6)
    assert np.ptp(steps) < 1e-12


def test_inner_products_at_width_32() -> None:
    table = sinusoid(np.arange(6) + 1000, sinusoid_inv_freq(32))
    kernel = [16, 15.313649, 13.730137, 12.272398, 11.661502, 11.777383]  # falls, then rises at distance 5
    np.testing.assert_allclose(table @ table[0], kernel, atol=6e-7)


def test_shape_and_real_positions() -> None:
    places = np.asarray([[0.0, 0.5], [1.5, -2.0]])
    table = sinusoid(places, sinusoid_inv_freq(6))
    assert table.shape == (2, 2, 6)
    np.testing.assert_allclose(table[1, 0, :2], [math.sin(1.5), math.cos(1.5)])
