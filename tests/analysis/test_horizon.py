"""Where similarity stops falling: the misconception table, row by row."""

import numpy as np
import pytest

from clockhands.analysis.horizon import horizon, nearest_return
from clockhands.analysis.neighbours import neighbour_distance


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


@pytest.mark.parametrize(
    ("d", "first_rise", "first_negative", "lowest_at", "lowest"),  # reference 2.1
    [(32, 4, 474, 15033, -0.583), (128, 11, 1707, 17156, -0.2802), (512, 43, 3284, 18469, -0.1481)],
)
def test_similarity_is_not_monotone(d, first_rise, first_negative, lowest_at, lowest):
    found = horizon(geometric(d), 20_000)
    assert (found.first_rise, found.first_negative, found.lowest.distance) == (
        first_rise,
        first_negative,
        lowest_at,
    )
    assert found.lowest.value == pytest.approx(lowest, abs=6e-4)
    values = found.kernel.values
    assert values[first_rise + 1] > values[first_rise]
    assert (np.diff(values[: first_rise + 1]) < 0).all()
    assert (values[:first_negative] >= 0).all()


@pytest.mark.parametrize(("d", "within_100", "within_512"), [(32, 47, 49), (128, 34, 47), (512, 13, 39)])
def test_share_of_rising_steps(d, within_100, within_512):
    assert 100 * horizon(geometric(d), 99).rising_share == pytest.approx(within_100, abs=0.6)
    assert 100 * horizon(geometric(d), 511).rising_share == pytest.approx(within_512, abs=0.6)


def test_far_can_look_nearer_than_near():
    values = horizon(geometric(32), 100).kernel.values
    assert values[[4, 5, 50, 57, 100]] == pytest.approx([0.7288, 0.7361, 0.369, 0.596, 0.583], abs=6e-4)


@pytest.mark.parametrize(
    ("base", "d", "first_negative"),  # reference 2.4, models by their base and head size
    [
        (5e5, 128, 18438),
        (1e6, 128, 27115),
        (1.5e5, 64, 2774),
        (1e4, 64, 725),
        (1e4, 256, 2653),
        (1e4, 24, 223),
    ],
)
def test_where_the_sum_of_cosines_turns_negative(base, d, first_negative):
    assert horizon(geometric(d, base), first_negative + 10).first_negative == first_negative
    assert horizon(geometric(d, base), first_negative - 1).first_negative is None


def test_the_article_s_mix_echoes():
    mixed = 0.5 * np.linspace(1, 0.01, 16) + 0.5 * geometric(32)
    found = horizon(mixed, 1000)
    assert (found.echo.distance, round(found.echo.value, 3)) == (181, 0.611)
    assert found.kernel.values[361] == pytest.approx(0.540, abs=6e-4)
    assert np.flatnonzero(found.kernel.values[1:181] > found.echo.value).tolist() == [
        0,
        1,
    ]  # distances 1 and 2
    linear = horizon(np.linspace(1, 0.01, 16), 1000)
    assert (linear.echo.distance, round(linear.echo.value, 2)) == (666, 0.98)
    assert linear.kernel.values[94] == pytest.approx(0.88, abs=6e-3)


def test_hands_that_only_fall_have_no_rise_and_no_echo():
    found = horizon([1e-4], 100)
    assert (found.first_rise, found.first_negative, found.echo, found.rising_share) == (None, None, None, 0.0)
    assert found.lowest.distance == 100
    still = horizon([0.0], 50)  # rounding is no rise
    assert (still.first_rise, still.rising_share) == (None, 0.0)


def test_an_echo_can_follow_the_first_rise_at_once():
    there_and_back = horizon([np.pi], 5)
    assert there_and_back.first_rise == 1
    assert there_and_back.echo.distance == 2


def test_one_hand_returns_at_710_though_it_never_repeats():
    found = nearest_return([1.0], 1000)
    assert found.distance == 710
    assert found.value == pytest.approx(6.03e-5, rel=1e-3)


def test_returns_of_the_reference():
    assert nearest_return(geometric(32)[:3], 2000).distance == 1709
    assert nearest_return(geometric(32)[:3], 2000).value == pytest.approx(0.297, abs=6e-4)
    assert neighbour_distance(geometric(32)[:3]) == pytest.approx(1.152, abs=6e-4)
    alias = nearest_return(geometric(8), 200_000)
    assert (alias.distance, round(alias.value, 5)) == (169646, 0.00331)
    assert nearest_return(geometric(32), 100_000).distance == 1


def test_the_nearest_return_is_found_among_few_distances():
    assert nearest_return([1.0], 1).distance == 1
    assert nearest_return([1.0], 44).distance == 44  # 44 is nearly 7 turns
    assert nearest_return([1.0], 43).distance == 25  # and 25 nearly 4
