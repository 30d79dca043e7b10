"""Hamming identities of codes, Fourier features, and tables resized as torch resizes them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from clockhands import formulas

P = np.arange(300)


def flips(code: np.ndarray) -> np.ndarray:
    """How many digits change from each position to the next."""
    return (code[1:] != code[:-1]).sum(1)


def test_one_hot_is_the_unit_matrix() -> None:
    np.testing.assert_array_equal(formulas.one_hot(np.arange(5), 5), np.eye(5))
    apart = np.linalg.norm(formulas.one_hot(np.array([0, 1, 4]), 5)[:, None] - np.eye(5)[[0, 1, 4]], axis=-1)
    np.testing.assert_allclose(apart[~np.eye(3, dtype=bool)], math.sqrt(2))


def test_binary_digits_are_those_that_python_writes() -> None:
    written = [[int(digit) for digit in f"{position:010b}"[::-1]] for position in P]
    np.testing.assert_array_equal(formulas.binary(P, 10), written)


def test_a_binary_step_flips_one_digit_more_than_there_are_trailing_ones() -> None:
    trailing = [len(f"{p:b}") - len(f"{p:b}".rstrip("1")) for p in P[:-1]]
    np.testing.assert_array_equal(flips(formulas.binary(P, 10)), 1 + np.array(trailing))
    assert flips(formulas.binary(P, 10))[7] == 4  # from 0111 to 1000


def test_a_gray_step_flips_one_digit_also_back_to_the_start() -> None:
    code = formulas.gray(np.arange(2**6 + 1), 6)
    assert set(flips(code)) == {1}
    np.testing.assert_array_equal(code[0], code[-1])
    assert len(np.unique(code[:-1], axis=0)) == 2**6


def test_gray_is_the_reflected_list() -> None:
    """Built as its inventor did: the list, then the list backwards with a one in front."""
    listed = [""]
    for _ in range(5):
        listed = ["0" + word for word in listed] + ["1" + word for word in reversed(listed)]
    written = [[int(digit) for digit in word[::-1]] for word in listed]
    np.testing.assert_array_equal(formulas.gray(np.arange(32), 5), written)


@pytest.mark.parametrize("code", [formulas.one_hot, formulas.binary, formulas.gray])
def test_torch_writes_the_same_digits(code) -> None:
    for width in (5, 70):
        np.testing.assert_array_equal(code(torch.arange(40), width).numpy(), code(np.arange(40), width))


def test_digits_past_the_sixtieth_are_zero() -> None:
    far = np.array([2**61, 2**61 + 3])
    code = formulas.binary(far, 80)
    assert code.sum(1).tolist() == [1, 3]
    assert code[0, 61] == 1


def test_codes_begin_anew_after_their_last_digit() -> None:
    for code in (formulas.binary, formulas.gray):
        np.testing.assert_array_equal(code(np.arange(8, 16), 3), code(np.arange(8), 3))


# Fourier features ----------------------------------------------------------------------------------


def test_dot_products_of_features_are_the_mean_cosine() -> None:
    speeds = np.array([1.0, 0.3, 0.02])
    rows = formulas.fourier_features(P[:50], speeds)
    distance = np.subtract.outer(P[:50], P[:50])
    np.testing.assert_allclose(rows @ rows.T, np.cos(distance[..., None] * speeds).mean(-1) / 2, atol=1e-12)


def test_drawn_speeds_make_a_gaussian_kernel() -> None:
    speeds = np.random.default_rng(0).normal(0, 1 / 10, 200_000)
    rows = formulas.fourier_features(np.array([0, 5, 10, 20]), speeds)
    np.testing.assert_allclose(rows @ rows[0], np.exp(-(np.array([0, 5, 10, 20]) ** 2) / 200) / 2, atol=2e-3)


def test_the_network_reads_the_features() -> None:
    """The same written with torch's own layers."""
    draw = np.random.default_rng(1)
    parts = [draw.normal(size=shape) for shape in ((3,), (6, 5), (5,), (5, 4), (4,))]
    positions = np.array([0, 2, 9, 1000])
    w, *layers = (torch.tensor(part) for part in parts)
    turned = torch.tensor(positions)[:, None] * w
    features = torch.cat((turned.cos(), turned.sin()), -1) / math.sqrt(6)
    hidden = torch.nn.functional.gelu(features @ layers[0] + layers[1], approximate="tanh")
    np.testing.assert_allclose(
        formulas.fourier_table(positions, *parts), (hidden @ layers[2] + layers[3]).numpy(), atol=1e-12
    )


# resizing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bicubic", "bilinear"])
@pytest.mark.parametrize("new", [(3, 5), (6, 10), (7, 4), (2, 2), (1, 9)])
def test_a_grid_is_resized_as_torch_does(method: str, new: tuple[int, int]) -> None:
    table = np.random.default_rng(2).normal(size=(15, 4))
    image = torch.tensor(table).reshape(1, 3, 5, 4).permute(0, 3, 1, 2)
    wanted = torch.nn.functional.interpolate(image, size=new, mode=method, align_corners=False)
    got = formulas.resized_grid(table, (3, 5), new, method)
    np.testing.assert_allclose(got, wanted[0].permute(1, 2, 0).reshape(-1, 4).numpy(), atol=1e-12)


@pytest.mark.parametrize("method", ["bicubic", "bilinear"])
def test_at_the_same_size_a_grid_is_itself(method: str) -> None:
    table = np.random.default_rng(3).normal(size=(15, 4))
    np.testing.assert_array_equal(formulas.resized_grid(table, (3, 5), (3, 5), method), table)
    tensor = torch.tensor(table, dtype=torch.float32, requires_grad=True)
    resized = formulas.resized_grid(tensor, (3, 5), (3, 5), method)
    assert torch.equal(resized, tensor)
    resized.sum().backward()
    assert torch.equal(tensor.grad, torch.ones_like(tensor))
