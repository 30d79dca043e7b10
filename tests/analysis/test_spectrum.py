"""Wavelengths and turns. Numbers from reference tables 2.7 and 'All hands matter'."""

import numpy as np
import pytest

from clockhands.analysis.hands import hands
from clockhands.analysis.spectrum import spectrum
from clockhands.errors import ClockhandsError


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


@pytest.mark.parametrize(
    ("d", "context", "unfinished"), [(512, 512, 133), (512, 4096, 75), (128, 512, 33), (128, 4096, 18)]
)
def test_hands_that_never_make_a_turn(d, context, unfinished):
    found = spectrum(geometric(d), context)
    assert found.unfinished == unfinished
    assert found.finished == d // 2 - unfinished
    assert found.context_length == context


@pytest.mark.parametrize(
    ("base", "d", "context", "finished"),
    [
        (1e4, 128, 4096, 46),
        (5e5, 128, 8192, 35),
        (1e6, 128, 32768, 40),
        (1e4, 64, 4096, 23),
        (1.5e5, 64, 4096, 18),
    ],
)
def test_models_of_today(base, d, context, finished):
    assert spectrum(geometric(d, base), context).finished == finished


@pytest.mark.parametrize(
    ("base", "d", "longest"),
    [(1e4, 32, 35333), (1e4, 128, 54410.1), (1e4, 512, 60612), (1e6, 128, 5.06326e6), (1e4, 24, 29164)],
)
def test_the_slowest_hand_is_not_10000_turns(base, d, longest):
    found = spectrum(geometric(d, base), 100)
    assert found.longest == pytest.approx(longest, rel=2e-5)
    assert found.longest < 2 * np.pi * base
    assert found.shortest == pytest.approx(2 * np.pi)


def test_turns_and_wavelengths_belong_together():
    found = spectrum([2 * np.pi, -2 * np.pi / 128, 0.0], 128)
    np.testing.assert_allclose(found.wavelength.values, [1, 128, np.inf])
    np.testing.assert_allclose(found.turns.values, [128, 1, 0])
    assert found.finishes.values.tolist() == [True, True, False]  # exactly one turn is a turn
    assert found.speed.values[1] < 0
    assert (found.wavelength.unit.en, found.turns.unit.zh, found.speed.unit.en) == (
        "tokens",
        "圈",
        "rad / token",
    )


def test_context_must_be_a_length():
    with pytest.raises(ClockhandsError, match="context length is 0"):
        spectrum([1.0], 0)


def test_hands_are_the_table_of_the_paper():
    # reference A1: d = 8, position 1 and 2
    expected = [
        [0.84147098, 0.54030231, 0.09983342, 0.99500417, 0.00999983, 0.99995, 0.001, 0.9999995],
        [0.90929743, -0.41614684, 0.19866933, 0.98006658, 0.01999867, 0.9998, 0.002, 0.999998],
    ]
    found = hands(geometric(8), [1, 2])
    np.testing.assert_allclose(found.values.reshape(2, 8), expected, atol=1e-8)
    assert found.axes[2].values.tolist() == ["sin", "cos"]


def test_all_hands_start_at_twelve_and_turn_clockwise():
    tips = hands(geometric(32), [0, 1]).values
    assert (tips[0] == [0, 1]).all()
    cross = tips[0, :, 0] * tips[1, :, 1] - tips[0, :, 1] * tips[1, :, 0]
    assert (cross < 0).all()  # x to the right, y up: negative is clockwise
