"""The step from one position to the next."""

import numpy as np
import pytest

from clockhands.analysis.axes import position_axis
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import Neighbours, chords, neighbour_distance, table_neighbours
from clockhands.errors import ClockhandsError
from clockhands.language import Text


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


def sinusoid(n, d):
    angle = np.arange(n)[:, None] * geometric(d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@pytest.mark.parametrize(
    ("d", "golden"),  # reference table 2.1
    [(8, 0.96410), (16, 1.01473), (32, 1.171623), (64, 1.47185), (128, 1.952596), (512, 3.714270)],
)
def test_golden_distances(d, golden):
    assert neighbour_distance(geometric(d)) == pytest.approx(golden, abs=6e-6)


def test_the_article_s_own_mix():
    mixed = 0.5 * np.linspace(1, 0.01, 16) + 0.5 * geometric(32)
    assert neighbour_distance(mixed) == pytest.approx(1.63541, abs=6e-6)  # reference A12


def test_the_closed_form_is_what_a_table_shows_everywhere():
    found = table_neighbours(sinusoid(200, 64))
    np.testing.assert_allclose(found.distance.values, neighbour_distance(geometric(64)), rtol=1e-12)
    assert found.constant
    assert found.mean == pytest.approx(1.47185, abs=6e-6)
    assert 0 < found.spread < 1e-12  # rounding, which a picture must not blow up


def test_rounding_noise_can_t_fill_the_picture():
    found = table_neighbours(sinusoid(100, 32))
    low, high = found.drawing_range
    assert low == 0
    assert high == pytest.approx(1.25 * 1.171623, rel=1e-6)
    assert found.spread < 1e-10 * (high - low)


def test_a_float32_table_still_counts_as_constant_and_a_learned_one_does_not():
    assert table_neighbours(sinusoid(100, 32).astype(np.float32)).constant
    learned = np.random.default_rng(0).normal(size=(100, 32))
    found = table_neighbours(learned, start=5)
    assert not found.constant
    assert found.spread == pytest.approx(np.ptp(found.distance.values))
    assert found.distance.axes[0].values.tolist() == list(range(5, 104))


def test_longer_steps():
    table = sinusoid(30, 16)
    for step in (0, 1, 7, 29):
        assert neighbour_distance(geometric(16), step) == pytest.approx(
            np.linalg.norm(table[step] - table[0]), abs=1e-12
        )


def test_chords_keep_their_digits_where_hands_nearly_meet():
    assert chords(np.array([1.0]), np.array([710.0]))[0] == pytest.approx(710 - 226 * np.pi, rel=1e-9)


def test_two_rows_are_enough():
    found = table_neighbours([[0.0], [2.0]])
    assert found.distance.values.tolist() == [2.0]
    assert found.distance.axes[0].values.tolist() == [0]


def test_a_table_that_stands_still_has_a_range_to_draw():
    found = table_neighbours([[1.0], [1.0], [1.0]])
    assert found.drawing_range == (0.0, 1.0)
    assert found.constant


def test_holes_stand_aside():
    def steps(*values):
        axis = position_axis(np.arange(len(values)))
        return Neighbours(Labelled("steps", Text("steps", "步"), np.array(values), (axis,)))

    found = steps(np.nan, 1.0, np.inf, 3.0)
    assert (found.mean, found.spread, found.drawing_range) == (2.0, 2.0, (0.0, 3.75))
    nothing = steps(np.nan, np.inf)
    assert np.isnan(nothing.mean)
    assert (nothing.spread, nothing.drawing_range) == (0.0, (0.0, 1.0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: table_neighbours([[1.0, 2.0]]), "number of positions is 1"),
        (lambda: neighbour_distance([1.0], -1), "step"),
        (lambda: neighbour_distance([np.inf]), "finite"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ClockhandsError, match=words):
        call()
