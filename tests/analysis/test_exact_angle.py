"""Angles against exact rational arithmetic with 60 digits of pi."""

from fractions import Fraction
from math import cos, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.analysis.exact_angle import angles, turns_per_token

PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494")


def exact(speed: float, position: float) -> float:
    """The angle as a fraction, whole turns taken off, rounded once."""
    angle = Fraction(speed) * Fraction(position)
    return float(angle - 2 * PI * round(angle / (2 * PI)))


def error(speed: float, position: float) -> float:
    found = angles(turns_per_token(np.array([speed])), np.array([position]))[0, 0]
    assert -np.pi <= found <= np.pi
    true = exact(speed, position)
    return max(abs(sin(found) - sin(true)), abs(cos(found) - cos(true)))


@given(speed=st.floats(-7, 7, allow_subnormal=False), position=st.integers(-(2**53), 2**53))
def test_every_angle_is_right_to_the_last_digits(speed, position):
    assert error(speed, position / 2) < 1e-15


@pytest.mark.parametrize("position", [10**6 + 1, 10**9 + 1, 10**15 + 1])
def test_a_plain_product_would_not_do(position):
    speed = 10000 ** (-2 / 512)
    assert abs(sin(speed * position) - sin(exact(speed, position))) > 1e-13
    assert error(speed, position) < 1e-15


def test_shapes_and_signs():
    speed = turns_per_token(np.array([1.0, -1.0]))
    assert angles(speed, np.zeros((3, 4))).shape == (3, 4, 2)
    np.testing.assert_allclose(angles(speed, np.array([1.0, 4.0])), [[1, -1], [4 - 2 * np.pi, 2 * np.pi - 4]])
