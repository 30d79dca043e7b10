"""The similarity matrix against the article's double loop, written here independently."""

import numpy as np
import pytest

from clockhands.analysis.similarity import similarity, table_similarity
from clockhands.errors import ClockhandsError


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


def sinusoid(n, d, start=0):
    angle = np.arange(start, start + n)[:, None] * geometric(d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


def double_loop(table):
    n = len(table)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = np.dot(table[i], table[j]) / (np.linalg.norm(table[i]) * np.linalg.norm(table[j]))
    return found


@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 8), (40, 32), (33, 128)])
def test_both_ways_give_what_the_double_loop_gives(n, d):
    expected = double_loop(sinusoid(n, d))
    np.testing.assert_allclose(similarity(geometric(d), n).values, expected, atol=1e-13)
    np.testing.assert_allclose(table_similarity(sinusoid(n, d)).values, expected, atol=1e-13)


def test_the_dot_product():
    table = sinusoid(20, 16)
    np.testing.assert_allclose(
        similarity(geometric(16), 20, measure="dot").values, table @ table.T, atol=1e-12
    )
    np.testing.assert_allclose(table_similarity(table, measure="dot").values, table @ table.T, atol=1e-12)


def test_it_is_a_real_array_exactly_symmetric_with_exactly_constant_diagonals():
    found = similarity(geometric(64), 50).values
    assert found.flags.c_contiguous
    assert found.flags.writeable
    np.testing.assert_array_equal(found, found.T)
    assert (np.diagonal(found) == 1).all()
    assert all(np.ptp(np.diagonal(found, k)) == 0 for k in range(50))


def test_the_start_moves_labels_and_not_values():
    near, far = similarity([1.0, 0.1], 4), similarity([1.0, 0.1], 4, start=100)
    np.testing.assert_array_equal(near.values, far.values)
    assert far.axes[0].values.tolist() == far.axes[1].values.tolist() == [100, 101, 102, 103]
    assert near.axes[0].values.tolist() == table_similarity(np.eye(4)).axes[0].values.tolist() == [0, 1, 2, 3]
    assert table_similarity([[1.0]], start=7).axes[0].values.tolist() == [7]


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_rows_of_any_length_have_a_direction(size: float):
    found = table_similarity([[3 * size, 4 * size], [1.0, 0.0], [0.0, 2.0]]).values
    np.testing.assert_allclose(found[0], [1, 0.6, 0.8], rtol=1e-15)


def test_a_row_of_zeros_has_no_direction():
    found = table_similarity([[0.0, 0.0], [1.0, 0.0]]).values
    assert np.isnan(found[0]).all()
    assert found[1, 1] == 1
    assert table_similarity([[0.0, 0.0], [1.0, 0.0]], measure="dot").values.tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: similarity([1.0], 0), "whole number"),
        (lambda: similarity([1.0], 10**8), "free"),
        (lambda: similarity([1.0], 4, measure="l2"), "measure"),
        (lambda: table_similarity([1.0, 2.0]), "one row per position"),
        (lambda: table_similarity(np.zeros((0, 3))), "one row per position"),
        (lambda: table_similarity([[1.0, np.inf]]), "finite"),
        (lambda: table_similarity([[1.0]], measure="l2"), "measure"),
        (lambda: table_similarity([[1.0], [1.0, 2.0]]), "real numbers"),
    ],
)
def test_bad_input_is_refused_before_it_costs_anything(call, words):
    with pytest.raises(ClockhandsError, match=words):
        call()
