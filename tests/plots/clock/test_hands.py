"""Where the hands stand: clockwise from twelve, exact far out, the fastest first."""

from __future__ import annotations

from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots.clock.hands import MOST_HANDS, hands_of

SINUSOID = 10000.0 ** (-np.arange(16) / 16)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


def test_all_hands_start_at_twelve():
    assert hands_of(SINUSOID).angle(0).tolist() == [0.0] * 16


def test_the_fastest_hand_comes_first_whatever_the_order():
    hands = hands_of([0.1, -2.0, 0.0, 1.0])
    assert hands.speed.tolist() == [-2.0, 1.0, 0.1, 0.0]
    assert hands.pair.tolist() == [1, 3, 0, 2]
    assert hands.wavelength.tolist() == pytest.approx([np.pi, 2 * np.pi, 20 * np.pi, np.inf])


@pytest.mark.parametrize("position", [10**9 + 7, 2**45 + 1, -(10**9)])
def test_angles_are_exact_far_out(position):
    """Against 80-digit decimal arithmetic; a float64 product is off by 6e-8 at a billion already."""
    getcontext().prec = 80
    for speed, angle in zip(SINUSOID, hands_of(SINUSOID).angle(position), strict=True):
        turn = 2 * PI
        exact = (Decimal(float(speed)) * position) % turn
        apart = abs(float((exact - Decimal(float(angle))) % turn))
        assert min(apart, float(turn) - apart) < 2e-15 * 2 * np.pi


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20), st.integers(-(10**6), 10**6))
def test_an_angle_is_within_one_turn(speeds, position):
    angle = hands_of(speeds).angle(position)
    assert ((angle >= 0) & (angle < 2 * np.pi)).all()


def test_a_negative_hand_turns_the_other_way():
    assert hands_of([-np.pi / 2]).angle(1).tolist() == pytest.approx([1.5 * np.pi])


def test_turns_made_at_37():
    """5.89, 3.31, 1.86, 1.05, 0.59 …: 37 / (2 pi) * 10000^(-i/16)."""
    turns = hands_of(SINUSOID).turns(np.array([37.0]))[0]
    assert turns[:5].round(2).tolist() == [5.89, 3.31, 1.86, 1.05, 0.59]


@pytest.mark.parametrize(
    ("inv_freq", "base"),
    [
        (SINUSOID, 10000.0),
        (500000.0 ** (-np.arange(64) / 64), 500000.0),
        (SINUSOID.astype(np.float32), 10000.0),
        ([1.0, 0.1], 100.0),
        (10000.0 ** (-np.arange(16) / 15), None),  # tensor2tensor's spacing is not base ** (-2i/d)
        (np.linspace(1, 0.01, 16), None),
        ([1.0], None),
        ([1.0, 1.0], None),
        ([0.0, 0.0], None),
        ([2.0, 0.2], None),
        ([1.0, 1e-300, 1e-301], None),
    ],
)
def test_a_base_is_told_only_where_there_is_one(inv_freq, base):
    assert hands_of(inv_freq).base == base


def test_data_keep_the_order_and_the_note_of_what_was_given():
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    given = Labelled(
        "speed", Text("s", "速"), np.array([0.1, 1.0]), (Axis(Text("pair", "对"), np.arange(2)),), note=note
    )
    angle, turns = hands_of(given).data(np.array([0.0, 3.0]))
    np.testing.assert_allclose(angle.values, [[0, 0], [0.3, 3.0]], rtol=1e-15)
    np.testing.assert_allclose(turns.values * 2 * np.pi, [[0, 0], [0.3, 3.0]], rtol=1e-15)
    assert angle.note == turns.note == note
    assert (angle.unit.en, turns.unit.en) == ("rad", "turns")


@pytest.mark.parametrize(
    "bad", [[], [[1.0]], [1.0, np.nan], [np.inf], "abc", [1 + 2j], np.ones(MOST_HANDS + 1), None]
)
def test_speeds_that_make_no_hands_are_refused(bad):
    with pytest.raises(ClockhandsError):
        hands_of(bad)
