"""Summing a matrix up along its diagonals."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.axes import position_axis
from clockhands.analysis.diagonals import diagonal_spread, diagonals
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text


def matrix(rows: list[list[float]]) -> Labelled:
    values = np.array(rows)
    axes = tuple(position_axis(np.arange(n)) for n in values.shape)
    return Labelled("m", Text("m", "m"), values, axes)


def test_distance_is_query_minus_key() -> None:
    """Below the diagonal: what is above it is another direction, and stays out."""
    along = diagonals(matrix([[1.0, 99.0, 98.0], [2.0, 3.0, 97.0], [7.0, 4.0, 5.0]]))
    assert along.mean.values.tolist() == [3.0, 3.0, 7.0]
    assert along.lowest.values.tolist() == [1.0, 2.0, 7.0]
    assert along.highest.values.tolist() == [5.0, 4.0, 7.0]
    assert along.spread == 4.0
    assert not along.constant


def test_a_toeplitz_matrix_is_constant_rounding_aside() -> None:
    distance = np.abs(np.arange(9)[:, None] - np.arange(9))
    noise = 1e-13 * np.random.default_rng(0).normal(size=(9, 9))
    assert diagonals(matrix((0.5**distance + noise).tolist())).constant


def test_rows_without_a_direction_stand_aside() -> None:
    along = diagonals(matrix([[np.nan, np.nan], [np.nan, 2.0]]))
    assert along.mean.values[0] == 2.0
    assert np.isnan(along.mean.values[1])


def test_no_numbers_at_all_are_constant() -> None:
    along = diagonals(matrix([[np.nan]]))
    assert along.spread == 0
    assert along.constant


def test_the_spread_of_a_symmetric_matrix_is_that_of_its_lower_half() -> None:
    half = np.random.default_rng(0).normal(size=(6, 6))
    both = half + half.T
    assert diagonal_spread(both).worst == diagonals(matrix(both.tolist())).spread > 0


def test_both_directions_count_for_the_spread_of_a_whole_matrix() -> None:
    ahead = [[0.0, 5.0, 0.0], [0.0, 0.0, 7.0], [0.0, 0.0, 0.0]]
    found = diagonal_spread(ahead)
    assert found.worst == 2
    assert found.within == (2 / 9) ** 0.5  # 5 and 7 are 1 off their mean
    assert diagonals(matrix(ahead)).constant
