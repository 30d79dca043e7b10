"""ALiBi: slopes of every head count against the paper's own recursion, and the shape of the line."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clockhands.formulas import alibi_bias, alibi_slopes


def slopes_of_the_paper(num_heads: int) -> list[float]:
    """The recursion of the paper's code: a power of two, then every other slope of twice that power."""
    if num_heads & (num_heads - 1) == 0:
        start = 2 ** (-(2 ** -(math.log2(num_heads) - 3)))
        return [start ** (i + 1) for i in range(num_heads)]
    power = 1
    while power * 2 <= num_heads:
        power *= 2
    return slopes_of_the_paper(power) + slopes_of_the_paper(2 * power)[0::2][: num_heads - power]


@pytest.mark.parametrize("num_heads", range(1, 131))
def test_every_head_count(num_heads: int) -> None:
    np.testing.assert_allclose(alibi_slopes(num_heads), slopes_of_the_paper(num_heads), rtol=1e-12)


def test_values_that_ports_got_wrong() -> None:
    assert alibi_slopes(6).tolist() == [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    assert alibi_slopes(8)[[0, -1]].tolist() == [0.5, 0.00390625]  # head 0 is not 1
    last_four_of_12 = [0.70710678, 0.35355339, 0.1767767, 0.08838835]
    np.testing.assert_allclose(alibi_slopes(12)[8:], last_four_of_12, atol=6e-9)


def test_bias_falls_with_distance_into_the_past() -> None:
    bias = alibi_bias(np.asarray([[0, 1], [-2, 100]]), alibi_slopes(2))
    assert bias.shape == (2, 2, 2)
    assert bias[0].tolist() == [[0, -0.0625], [0.125, -6.25]]
    assert bias[1].tolist() == [[0, -0.00390625], [0.0078125, -0.390625]]


def test_symmetric_bias_falls_both_ways() -> None:
    distance = np.arange(-5, 6)
    bias = alibi_bias(distance, alibi_slopes(3), symmetric=True)
    np.testing.assert_array_equal(bias, bias[:, ::-1])
    np.testing.assert_array_equal(bias[:, 5:], alibi_bias(distance, alibi_slopes(3))[:, 5:])


def test_key_only_form_differs_by_a_constant_a_row() -> None:
    """Adding slope * key position instead, as some engines do, is the same after softmax."""
    q, k = np.arange(6)[:, None], np.arange(6)[None]
    slopes = alibi_slopes(4)
    difference = alibi_bias(q - k, slopes) - slopes[:, None, None] * k
    np.testing.assert_allclose(np.ptp(difference, axis=-1), 0, atol=1e-15)
