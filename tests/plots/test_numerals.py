"""Numbers on pictures: expectations written by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from clockhands.plots.numerals import numeral, power_ticks, round_ticks, scientific, thinned


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (0.0, 4, "0"),
        (-0.5, 4, "−0.5"),
        (1.17162295, 4, "1.172"),
        (1.17162295, 6, "1.17162"),
        (35333.09, 4, "35,333"),
        (10000.0, 4, "10,000"),
        (1e6, 4, "1,000,000"),
        (0.00390625, 3, "0.00391"),
        (0.0001, 4, "0.0001"),
        (0.00002, 4, "2 × 10⁻⁵"),
        (123.4, 3, "123"),
        (math.inf, 4, "∞"),
        (-math.inf, 4, "−∞"),
        (math.nan, 4, "NaN"),
        (3e20, 4, "3 × 10²⁰"),
    ],
)
def test_numerals(value: float, digits: int, said: str) -> None:
    assert numeral(value, digits) == said


def test_scientific_keeps_one_digit_and_true_minus_signs() -> None:
    assert scientific(4.4e-16) == "4 × 10⁻¹⁶"
    assert scientific(-2.6e3) == "−3 × 10³"


@pytest.mark.parametrize(
    ("low", "high"), [(0, 99), (-1, 1), (0, 0.00003), (-32.7, 0), (5, 6), (0, 1e6), (0.1, 0.2)]
)
@pytest.mark.parametrize("most", [3, 6, 11])
def test_round_ticks_stay_inside_evenly_and_few(low: float, high: float, most: int) -> None:
    ticks = round_ticks(low, high, most)
    slack = 1e-9 * (high - low)
    assert 1 <= len(ticks) <= most
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    steps = {round((b - a) / (high - low), 9) for a, b in pairwise(ticks)}
    assert len(steps) <= 1
    if most >= 3:
        assert len(ticks) >= 2


def test_whole_ticks_are_whole() -> None:
    assert round_ticks(0, 3, 10, whole=True) == [0, 1, 2, 3]
    assert round_ticks(0, 15, 16, whole=True) == list(range(16))


def test_one_value_is_its_own_tick() -> None:
    assert round_ticks(7, 7) == [7]


def test_power_ticks() -> None:
    assert power_ticks(6.28, 35333) == [10, 100, 1000, 10000]
    assert power_ticks(1, 1e6, 4) == [1, 100, 1e4, 1e6]
    assert power_ticks(2, 5) == [2]


def test_thinned_is_even_and_keeps_the_first() -> None:
    assert thinned(10, 4) == [0, 3, 6, 9]
    assert thinned(3, 10) == [0, 1, 2]
    assert len(thinned(1000, 7)) <= 7
