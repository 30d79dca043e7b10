"""Hands shared out among axes: who reads what, how fast, and the skew matrices behind turned blocks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands import formulas

LIBRARIES = pytest.mark.parametrize("xp", [np, torch, array_api_strict], ids=lambda xp: xp.__name__)


def plain(array: Any) -> np.ndarray:
    return np.from_dlpack(array)


# layouts -------------------------------------------------------------------------------------


def test_layouts_of_the_published_models() -> None:
    """Qwen2-VL: T x 16, H x 24, W x 24; Qwen3-VL: (T H W) x 20, then T x 4."""
    assert formulas.chunked_axes([16, 24, 24]) == (0,) * 16 + (1,) * 24 + (2,) * 24
    assert formulas.interleaved_axes([24, 20, 20]) == (0, 1, 2) * 20 + (0,) * 4
    assert formulas.interleaved_axes([11, 11, 10]) == (0, 1, 2) * 10 + (0, 1)  # Qwen3.5


def as_transformers_does(pairs: int, sections: tuple[int, int, int]) -> list[int]:
    """Everything is time, and then two strided slices are overwritten (transformers 5.24.0, Qwen3-VL)."""
    hands = np.zeros(pairs, int)
    for axis in (1, 2):
        hands[slice(axis, 3 * sections[axis], 3)] = axis
    return hands.tolist()


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 12))
def test_interleaving_is_what_strided_slices_give(time: int, rows: int, columns: int) -> None:
    pairs = time + rows + columns
    if 1 + 3 * (rows - 1) >= pairs or 2 + 3 * (columns - 1) >= pairs:
        return
    hands = formulas.interleaved_axes([time, rows, columns])
    assert list(hands) == as_transformers_does(pairs, (time, rows, columns))
    assert Counter(hands) == {0: time, 1: rows, 2: columns}


# speeds --------------------------------------------------------------------------------------


def test_speeds_of_axial_rope() -> None:
    """Head of 16, base 100: rope-vit takes ``1 / 100 ** (arange(0, 16, 4) / 16)`` for both axes."""
    wanted = 1 / 100 ** (np.arange(0, 16, 4) / 16)
    np.testing.assert_allclose(formulas.axial_inv_freq([8, 8], 100.0), [*wanted, *wanted], rtol=1e-15)
    uneven = formulas.axial_inv_freq([4, 2, 6])
    np.testing.assert_allclose(uneven, [1, 0.01, 1, 1, 1e4 ** (-1 / 3), 1e4 ** (-2 / 3)])


def test_speeds_of_pixtral() -> None:
    whole = 1 / 1e4 ** (np.arange(0, 16, 2) / 16)
    np.testing.assert_allclose(formulas.alternating_inv_freq(16), [*whole[::2], *whole[1::2]], rtol=1e-15)


def test_mixed_speeds_start_along_and_across_a_direction() -> None:
    """What rope-vit draws: ``fx = [mag cos a, mag cos(pi/2 + a)]``, ``fy`` with sin; x is columns."""
    mag, turns = 1 / 10 ** (np.arange(0, 8, 4) / 8), np.asarray([0.3, 2.0, 5.5])
    rows, columns = formulas.mixed_axis_speeds(turns, 8)
    for head, a in enumerate(turns):
        np.testing.assert_allclose(columns[head], [*(mag * np.cos(a)), *(mag * np.cos(np.pi / 2 + a))])
        np.testing.assert_allclose(rows[head], [*(mag * np.sin(a)), *(mag * np.sin(np.pi / 2 + a))])


# angles --------------------------------------------------------------------------------------


@LIBRARIES
def test_each_hand_reads_its_axis(xp: Any) -> None:
    positions = xp.asarray([[[3, 5, 7], [0, 1, 100000]]])
    speeds = xp.asarray([1.0, 0.5, 0.25, 0.125], dtype=xp.float64)
    got = plain(formulas.angles_on_axes(positions, speeds, (0, 2, 1, 0)))
    assert got.tolist() == [[[3.0, 3.5, 1.25, 0.375], [0.0, 50000.0, 0.25, 0.0]]]
    assert got.dtype == np.float64


def test_half_precision_speeds_are_widened() -> None:
    angle = formulas.angles_on_axes(torch.tensor([[1, 4097]]), torch.ones(2).bfloat16(), (0, 1))
    assert angle.tolist() == [[1.0, 4097.0]]


@LIBRARIES
def test_axes_add_up(xp: Any) -> None:
    positions = xp.asarray([[2, 5], [-1, 3]])
    speeds = xp.asarray([[[1.0, 0.5]], [[0.25, -2.0]]], dtype=xp.float64)
    assert plain(formulas.along_all(positions, speeds)).tolist() == [[[3.25, -9.0]], [[-0.25, -6.5]]]


# skew matrices -------------------------------------------------------------------------------


def exponential(matrix: np.ndarray) -> np.ndarray:
    """``exp`` of a square matrix by its series, after halving it often; nothing like an eigenvalue in it."""
    small = matrix / 2**20
    result, term = np.eye(len(matrix)), np.eye(len(matrix))
    for order in range(1, 12):
        term = term @ small / order
        result = result + term
    for _ in range(20):
        result = result @ result
    return result


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


@LIBRARIES
def test_only_upper_triangles_are_read(xp: Any) -> None:
    raw = normal(2, 4, 4)
    skew = plain(formulas.skew_of_upper(xp.asarray(raw)))
    for a, row, column in np.ndindex(2, 4, 4):
        wanted = raw[a, row, column] if row < column else 0 if row == column else -raw[a, column, row]
        assert skew[a, row, column] == wanted


def test_axes_of_comrope_commute_and_those_of_liere_do_not() -> None:
    raw, factors = normal(3, 4, 4, 4), normal(2, 4, seed=1)
    for generators, commutes in (
        (formulas.partitioned_generators(raw, 2), True),
        (formulas.scaled_generators(raw, factors), True),
        (formulas.skew_of_upper(normal(2, 3, 4, 4, 4)), False),
    ):
        one, other = generators
        assert generators.shape == (2, 3, 4, 4, 4)
        np.testing.assert_array_equal(one, -one.swapaxes(-1, -2))
        assert np.allclose(one @ other, other @ one, rtol=0, atol=1e-12) == commutes


def test_generators_of_comrope_number_by_number() -> None:
    raw, factors = normal(2, 4, 2, 2), normal(2, 4, seed=1)
    parted = formulas.partitioned_generators(raw, 2)
    scaled = formulas.scaled_generators(raw, factors)
    for axis, head, block in np.ndindex(2, 2, 4):
        skew = raw[head, block] - raw[head, block].T
        wanted = skew if block % 2 == axis else np.zeros((2, 2))
        np.testing.assert_allclose(parted[axis, head, block], wanted)
        np.testing.assert_allclose(scaled[axis, head, block], factors[axis, block] * skew)


@pytest.mark.parametrize("n", [2, 4, 8])
def test_speeds_are_those_of_the_hands_inside(n: int) -> None:
    """Half the trace of ``exp(p A)`` is the sum of ``cos(p * speed)``: the mean similarity."""
    skew = formulas.skew_of_upper(normal(n, n, seed=n))
    speeds = formulas.generator_speeds(skew)
    assert (np.diff(speeds) <= 0).all()
    assert (speeds >= 0).all()
    for position in (0, 1, 7, -3):
        turned = exponential(position * skew)
        assert np.cos(position * speeds).sum() == pytest.approx(np.trace(turned) / 2, abs=1e-9)
