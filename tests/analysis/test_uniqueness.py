"""Return distance and uniqueness horizon. Numbers of reference 2.2."""

import numpy as np
import pytest

from clockhands.analysis.uniqueness import uniqueness


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


def test_eight_dimensions_have_an_alias_and_sixteen_do_not():
    few = uniqueness(geometric(8), 200_000)
    assert (few.nearest.distance, round(few.nearest.value, 5)) == (169646, 0.00331)
    assert few.neighbour == pytest.approx(0.96410, abs=5e-6)
    assert few.first_alias == 6
    many = uniqueness(geometric(16), 200_000)
    assert (many.nearest.distance, many.first_alias) == (1, None)
    assert many.neighbour == pytest.approx(1.01473, abs=5e-6)


@pytest.mark.parametrize(("d", "longest"), [(32, 35333), (128, 54410.1), (512, 60612)])
def test_the_slowest_hand_alone_is_clear_for_half_a_turn(d, longest):
    assert uniqueness(geometric(d), 10).slowest_alone == pytest.approx(longest / 2, rel=2e-5)


def test_an_alias_is_nearer_than_a_neighbour():
    found = uniqueness(geometric(32)[:3], 2000)
    table = np.exp(1j * np.arange(2001)[:, None] * geometric(32)[:3])
    gaps = np.linalg.norm(table[1:] - table[0], axis=1)
    assert found.first_alias == 1 + int((gaps < gaps[0]).argmax())
    assert found.nearest.distance == 1709


def test_a_hand_that_stands_still_is_never_ambiguous_and_one_distance_has_no_alias():
    still = uniqueness([1.0, 0.0], 1)
    assert (still.slowest_alone, still.first_alias, still.nearest.distance) == (np.inf, None, 1)
