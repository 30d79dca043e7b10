"""The similarity curve: golden values, two ways of computing it, exactness far out."""

from fractions import Fraction
from math import cos

import numpy as np
import pytest

from clockhands.analysis.kernel import kernel, kernel_range
from clockhands.errors import ClockhandsError

PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494")

# reference table 2.1, computed in float64 from the formula of the paper
GOLDEN = {
    32: (16, 15.313649, 13.730137, 12.272398, 11.661502, 11.777383),
    128: (64, 62.093684, 57.381861, 52.186228, 48.58603, 47.185012),
    512: (256, 249.102098, 231.73362, 211.749443, 196.688231, 189.596668),
}


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


def by_fractions(inv_freq, distance):
    """Mean of the cosines of exactly reduced angles."""
    exact = [Fraction(float(w)) * distance for w in inv_freq]
    return sum(cos(float(angle - 2 * PI * round(angle / (2 * PI)))) for angle in exact) / len(inv_freq)


@pytest.mark.parametrize("d", GOLDEN)
def test_golden_values(d):
    for found in (kernel(geometric(d), range(6), "dot"), kernel_range(geometric(d), 6, measure="dot")):
        np.testing.assert_allclose(found.values, GOLDEN[d], atol=6e-7)


def test_mixed_frequencies_of_the_article():
    mixed = 0.5 * np.linspace(1, 0.01, 16) + 0.5 * geometric(32)  # reference A12
    expected = (0.916419, 0.708519, 0.473851, 0.200753, -0.041240, 0.165422, -0.028356)
    np.testing.assert_allclose(kernel(mixed, [1, 2, 3, 5, 10, 50, 99]).values, expected, atol=6e-7)


def test_it_is_the_similarity_of_rows():
    w, n = geometric(64), 50
    angle = np.arange(n)[:, None] * w
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    np.testing.assert_allclose(kernel_range(w, n, measure="dot").values, table @ table[0], atol=1e-12)
    cosine = table @ table[0] / np.linalg.norm(table, axis=1) / np.linalg.norm(table[0])
    np.testing.assert_allclose(kernel_range(w, n).values, cosine, atol=1e-14)


@pytest.mark.parametrize(
    ("n", "start"), [(1, 0), (2, 0), (3, 5), (10, -4), (97, 0), (1000, 10**9), (16, 2**51)]
)
def test_the_matrix_product_equals_direct_evaluation(n, start):
    w = geometric(128)
    found = kernel_range(w, n, start=start)
    assert found.axes[0].values.tolist() == list(range(start, start + n))
    np.testing.assert_allclose(found.values, kernel(w, np.arange(start, start + n)).values, atol=1e-13)


def test_a_million_positions_are_exact():
    w = geometric(512)
    curve = kernel_range(w, 10**6).values
    for distance in (0, 1, 43, 12_345, 500_000, 999_999):
        assert abs(curve[distance] - by_fractions(w, distance)) < 1e-14
    some = np.arange(0, 10**6, 9973)
    np.testing.assert_allclose(curve[some], np.cos(some[:, None] * w).mean(axis=1), atol=1e-10)


def test_even_in_the_distance_and_one_at_zero():
    w = geometric(32)
    far = np.array([0, 1, 17, 1e6, 0.5])
    values = kernel(w, far).values
    np.testing.assert_array_equal(kernel(w, -far).values, values)
    assert values[0] == 1.0
    assert kernel([0.0, 0.0], [5], "dot").values.tolist() == [2.0]


def test_a_long_list_is_cut_and_joined():
    w = geometric(4096)
    distances = np.arange(300)  # 2048 pairs: more than one chunk
    np.testing.assert_allclose(
        kernel(w, distances).values, np.cos(distances[:, None] * w).mean(axis=1), atol=1e-13
    )


def test_names_follow_the_measure():
    assert kernel([1.0], [0]).name.en == "cosine similarity"
    assert kernel([1.0], [0], "dot").name.zh == "点积"
    assert kernel([1.0], [0]).id == kernel_range([1.0], 1).id == "kernel"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kernel([], [1]), "shape"),
        (lambda: kernel([[1.0]], [1]), "shape"),
        (lambda: kernel([1.0, np.nan], [1]), "index 1 is nan"),
        (lambda: kernel(["a"], [1]), "real numbers"),
        (lambda: kernel([1.0], [[1]]), "1-D"),
        (lambda: kernel([1.0], [2.0**53]), "out of reach"),
        (lambda: kernel([1.0], [1], "cosin"), "did you mean 'cosine'"),
        (lambda: kernel_range([1.0], 0), "whole number"),
        (lambda: kernel_range([1.0], 2.5), "whole number"),
        (lambda: kernel_range([1.0], 10, start=2**52), "first distance"),
        (lambda: kernel_range([1.0], 2**50), "free"),
    ],
)
def test_bad_input_is_one_sentence(call, words):
    with pytest.raises(ClockhandsError, match=words) as caught:
        call()
    assert caught.value.text.zh
