"""Rotation: printed values, and the laws that make it a relative encoding."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clockhands.formulas import angles, default_inv_freq, rotate

LAYOUTS = ("half", "interleaved")
layouts = st.sampled_from(LAYOUTS)
heads = arrays(np.float64, 12, elements=st.floats(-3, 3))
places = st.integers(-(10**4), 10**5)


def turned(x: np.ndarray, position: int, layout: str, rotary_dim: int | None = None) -> np.ndarray:
    angle = angles(np.asarray(position), default_inv_freq(rotary_dim or x.shape[-1]))
    return rotate(x, np.cos(angle), np.sin(angle), layout)


@pytest.mark.parametrize(
    ("position", "layout", "expected"),
    [
        (1, "interleaved", [-1.14263966, 1.9220756, 2.95985067, 4.0297995]),
        (1, "half", [-1.98411065, 1.95990067, 2.4623779, 4.01979967]),
        (5, "interleaved", [2.20151073, -0.3915999, 2.7963341, 4.14493855]),
        (5, "half", [3.16043501, 1.79758384, -0.10793772, 4.09495938]),
    ],
)
def test_values_of_1_2_3_4(position: int, layout: str, expected: list[float]) -> None:
    np.testing.assert_allclose(turned(np.asarray([1.0, 2, 3, 4]), position, layout), expected, atol=6e-9)


@given(heads, places, layouts)
def test_is_an_isometry(x: np.ndarray, position: int, layout: str) -> None:
    assert np.linalg.norm(turned(x, position, layout)) == pytest.approx(np.linalg.norm(x), abs=1e-12)


@given(heads, heads, places, places, st.integers(-(10**4), 10**4), layouts)
def test_inner_product_depends_on_the_difference_alone(q, k, m: int, n: int, shift: int, layout: str) -> None:
    here = turned(q, m, layout) @ turned(k, n, layout)
    there = turned(q, m + shift, layout) @ turned(k, n + shift, layout)
    assert here == pytest.approx(there, abs=1e-8)
    assert here == pytest.approx(q @ turned(k, n - m, layout), abs=1e-8)


@given(heads, places, places, layouts)
def test_rotations_compose_by_adding_positions(x: np.ndarray, a: int, b: int, layout: str) -> None:
    twice = turned(turned(x, a, layout), b, layout)
    np.testing.assert_allclose(twice, turned(x, a + b, layout), atol=1e-8)


@given(heads, places)
def test_half_is_interleaved_in_another_order(x: np.ndarray, position: int) -> None:
    order = [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]
    expected = turned(x, position, "interleaved")[order]
    np.testing.assert_allclose(turned(x[order], position, "half"), expected, atol=1e-12)


@given(heads, places, layouts, st.sampled_from([2, 4, 8]))
def test_partial_turns_a_prefix_alone(x: np.ndarray, position: int, layout: str, rotary_dim: int) -> None:
    y = turned(x, position, layout, rotary_dim)
    assert y[rotary_dim:].tolist() == x[rotary_dim:].tolist()
    np.testing.assert_array_equal(y[:rotary_dim], turned(x[:rotary_dim], position, layout))


def test_turns_counter_to_the_sign_of_nothing() -> None:
    """A quarter turn takes the first axis to the second, in both layouts."""
    zero, one = np.zeros(2), np.ones(2)
    assert rotate(np.asarray([1.0, 0, 0, 0]), zero, one, "half").tolist() == [0, 0, 1, 0]
    assert rotate(np.asarray([1.0, 0, 0, 0]), zero, one, "interleaved").tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rotary_dim", [4, 8])
def test_broadcasts_over_heads_and_keeps_the_dtype(layout, rotary_dim: int) -> None:
    x = torch.randn(2, 3, 5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    angle = angles(torch.arange(5) + 700, torch.as_tensor(default_inv_freq(rotary_dim)))
    cos, sin = torch.cos(angle), torch.sin(angle)
    exact = rotate(x, cos, sin, layout)
    assert exact.shape == x.shape
    np.testing.assert_allclose(exact[1, 2, 3], turned(x[1, 2, 3].numpy(), 703, layout, rotary_dim))
    for dtype, precision in ((torch.float32, 1e-6), (torch.bfloat16, 2**-7), (torch.float16, 2**-10)):
        rounded = x.to(dtype)
        got = rotate(rounded, cos.float(), sin.float(), layout)
        assert got.dtype == dtype
        error = (got.double() - rotate(rounded.double(), cos, sin, layout)).abs().max().item()
        assert error < precision * 4


def test_one_table_row_turns_a_batch_of_one_head_with_a_tail() -> None:
    """The tail that isn't turned is repeated where the table has leading axes of its own."""
    angle = angles(np.arange(3), default_inv_freq(2))
    y = rotate(np.asarray([1.0, 0.0, 7.0]), np.cos(angle), np.sin(angle))
    assert y.shape == (3, 3)
    assert y[:, 2].tolist() == [7, 7, 7]


def test_angles_need_the_precision_they_are_given() -> None:
    far = torch.asarray([131072])
    exact = angles(far, torch.as_tensor(default_inv_freq(128)))
    coarse = angles(far, torch.as_tensor(default_inv_freq(128)).float())
    assert coarse.dtype == torch.float32
    error = (coarse.double() - exact).abs().max().item()
    assert 1e-3 < error < 0.01  # published: 0.004 rad at 131,072
    half = angles(far, torch.as_tensor(default_inv_freq(128)).bfloat16())
    assert half.dtype == torch.float32


def test_floating_positions_widen_the_angle() -> None:
    angle = angles(torch.asarray([0.1], dtype=torch.float64), torch.ones(1))
    assert angle.dtype == torch.float64
    assert angle.item() == 0.1


def test_gradient_reaches_inputs_and_base() -> None:
    theta = torch.tensor(100.0, dtype=torch.float64, requires_grad=True)
    x = torch.randn(3, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)

    def formula(x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        angle = angles(torch.arange(3), default_inv_freq(6, theta))
        return rotate(x, torch.cos(angle), torch.sin(angle), "interleaved")

    assert torch.autograd.gradcheck(formula, (x, theta))
