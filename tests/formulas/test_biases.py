"""Formulas of the biases, against the papers' numbers and against naive loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands import formulas

DISTANCES = np.asarray([0, 1, 2, 5, 40, 511])


def test_retention_slopes_are_the_paper_s_factors() -> None:
    """RetNet: gamma = 1 - 2 ** (-5 - arange(heads)); the first is 31 / 32, the fourth 255 / 256."""
    factors = np.exp(-formulas.retention_slopes(4))
    np.testing.assert_allclose(factors, [31 / 32, 63 / 64, 127 / 128, 255 / 256], rtol=1e-14)
    assert formulas.retention_slopes(60)[-1] == pytest.approx(2.0**-64, rel=1e-12)  # 1 - 2 ** -64 rounds to 1


def test_hard_windows_are_those_of_the_code() -> None:
    """sjelassi/transformers_ssm_copy @1f32ac6: ``for j in range(i + 1)`` opens diagonals 0 … i of head i."""
    heads, masked, n = 4, 2, 6
    seen = np.ones((heads, n, n), dtype=bool)
    for head in range(masked):
        seen[head] = False
        for back in range(head + 1):
            for query in range(back, n):
                seen[head, query, query - back] = True
    distance = np.arange(n)[:, None] - np.arange(n)
    bias = formulas.hard_bias_at(distance, formulas.per_head(formulas.hard_windows(heads, masked), distance))
    causal = np.tril(np.ones((n, n), dtype=bool))
    np.testing.assert_array_equal((bias == 0) & causal, seen & causal)
    assert set(np.unique(bias)) == {-np.inf, 0.0}


def test_sandwich_is_an_inner_product_of_sinusoids() -> None:
    """The rows of a sinusoid with i = 1 … d / 2, multiplied out, times H / (8 h)."""
    dim, heads, places = 128, 12, np.arange(40)
    angles = places[:, None] / 10000.0 ** (2 * np.arange(1, dim // 2 + 1) / dim)
    rows = np.concatenate((np.sin(angles), np.cos(angles)), axis=1)
    wanted = (rows @ rows.T)[None] / (np.arange(1, heads + 1) * 8 / heads)[:, None, None]
    distance = places[:, None] - places
    kernel = formulas.sandwich_kernel(distance, formulas.sandwich_speeds(dim))
    got = formulas.per_head(formulas.sandwich_factors(heads), distance) * kernel
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_sandwich_is_nemo_s_but_for_a_constant() -> None:
    """NVIDIA NeMo's sandwich_relative_position_embedding.py, pair by pair: it subtracts half the width."""
    hidden, heads = 8, 3
    for head in range(heads):
        for distance in (0, 1, 7, 300):
            total = sum(math.cos(distance / 10000 ** (2 * i / hidden)) for i in range(1, hidden // 2 + 1))
            theirs = (total - hidden / 2) / ((head + 1) * 8 / heads)
            kernel = formulas.sandwich_kernel(np.asarray([0, distance]), formulas.sandwich_speeds(hidden))
            ours = formulas.sandwich_factors(heads)[head] * kernel
            assert ours[1] - ours[0] == pytest.approx(theirs, abs=1e-13)


def test_kerple_golden_numbers() -> None:
    """schemes-and-science, B7: r1 = r2 = 1 at distances 0, 1, 10, 100; -ln 1, 2, 11, 101."""
    one = np.asarray(1.0)
    got = formulas.kerple_log_at(np.asarray([0, 1, 10, 100]), one, one)
    np.testing.assert_allclose(got, [0, -0.69315, -2.3979, -4.61512], atol=5e-6)
    got = formulas.kerple_power_at(np.asarray([0, 1, 9]), np.asarray(2.0), np.asarray(0.5))
    np.testing.assert_allclose(got, [0, -2, -6], rtol=1e-15)


@given(st.floats(0.01, 3), st.integers(-500, 500))
def test_kerple_power_one_is_alibi(slope: float, distance: int) -> None:
    got = formulas.kerple_power_at(np.asarray(distance), np.asarray(slope), np.asarray(1.0))
    assert got == formulas.alibi_bias_at(np.asarray(distance), np.asarray(slope), symmetric=True)


@given(st.floats(0.01, 2), st.floats(0.01, 2))
def test_kerple_kernels_are_conditionally_positive_definite(r1: float, r2: float) -> None:
    """The paper's theorem: with coefficients that sum to zero, the quadratic form is not negative."""
    distance = np.arange(12)[:, None] - np.arange(12)
    centre = np.eye(12) - 1 / 12
    for kernel in (formulas.kerple_log_at, formulas.kerple_power_at):
        bias = kernel(distance, np.asarray(r1), np.asarray(r2))
        eigenvalues = np.linalg.eigvalsh(centre @ bias @ centre)
        assert eigenvalues.min() > -1e-9 * max(1.0, eigenvalues.max())


def test_fire_golden_numbers() -> None:
    """schemes-and-science, B8: c = 0.1, L = 512, (position, key) = (100, 0), (1000, 0), (1000, 500)."""
    position, key = np.asarray([100, 1000, 1000]), np.asarray([0, 0, 500])
    got = formulas.fire_input(position, position - key, 0.1, np.asarray(512.0))
    np.testing.assert_allclose(got, [0.606282, 1.0, 0.851944], atol=5e-7)


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_fire_stays_between_0_and_1_and_shifts_only_up_to_the_threshold(position: int, moved: int) -> None:
    distance = np.asarray(position // 2)
    here, there = (
        formulas.fire_input(np.asarray(p), distance, 0.1, np.asarray(512.0))
        for p in (position, position + moved)
    )
    assert 0 <= there <= here <= 1
    if position + moved <= 512:
        assert here == there
    elif moved and position > 512:
        assert there < here


def test_relu_curves_unit_by_unit() -> None:
    random = np.random.default_rng(0)
    inputs, units = random.normal(size=(3, 2)), random.normal(size=(5, 2 + 1 + 4))
    wanted = np.zeros((3, 4))
    for row in range(3):
        for weight_0, weight_1, offset, *shares in units:
            met = max(0.0, inputs[row, 0] * weight_0 + inputs[row, 1] * weight_1 + offset)
            wanted[row] += met * np.asarray(shares)
    np.testing.assert_allclose(formulas.relu_curves(inputs, units), wanted, rtol=1e-13)


def test_swin_rows_are_those_of_its_code() -> None:
    """relative_position_index of Swin-Transformer, one pair of cells at a time, in a window of 3 x 3."""
    window = 3
    cells = [(row, column) for row in range(window) for column in range(window)]
    for row_q, column_q in cells:
        for row_k, column_k in cells:
            down, right = row_q - row_k + window - 1, column_q - column_k + window - 1
            wanted = down * (2 * window - 1) + right
            offsets = [np.asarray(row_q - row_k), np.asarray(column_q - column_k)]
            assert formulas.offset_row(offsets, window) == wanted


def test_log_offsets_are_those_of_swin_v2() -> None:
    """swin_transformer_v2.py @055c506: normalised to 8, then sign * log2(|x| + 1) / log2(8)."""
    window = 8
    for offset in range(-20, 21):
        scaled = offset / (window - 1) * 8
        wanted = math.copysign(math.log2(abs(scaled) + 1) / math.log2(8), scaled) if offset else 0.0
        assert formulas.log_offsets(np.asarray(float(offset)), window) == pytest.approx(wanted, rel=1e-14)
    for curve in (-3.0, 0.0, 0.2, 50.0, -800.0):
        wanted = 16 / (1 + math.exp(-curve)) if curve > -700 else 0.0
        assert formulas.bounded(np.asarray(curve)) == pytest.approx(wanted, abs=1e-12)


def test_steps_of_fox_and_cable() -> None:
    gates = np.asarray([-3.0, 0.0, 0.7])
    np.testing.assert_allclose(formulas.fox_steps(gates), np.log(1 / (1 + np.exp(-gates))), rtol=1e-13)
    np.testing.assert_allclose(formulas.cable_steps(gates), -np.log(1 + np.exp(gates)), rtol=1e-13)
    np.testing.assert_array_equal(formulas.cable_steps(gates), formulas.fox_steps(-gates))
    assert formulas.fox_steps(np.asarray([-2000.0, 2000.0])).tolist() == [-2000.0, 0.0]


def test_numpy_and_torch_agree_and_gradients_flow() -> None:
    random = np.random.default_rng(1)
    units, gates = random.normal(size=(6, 4)), random.normal(size=(5,))
    r1, r2 = np.asarray([0.5, 1.5]), np.asarray([0.3, 1.9])
    calls = [
        (formulas.kerple_log_at, (DISTANCES[:, None], r1, r2)),
        (formulas.kerple_power_at, (DISTANCES[:, None], r1, r2)),
        (formulas.fire_input, (DISTANCES, DISTANCES, 0.1, np.asarray(300.0))),
        (formulas.relu_curves, (DISTANCES[:, None] / 100, units)),
        (formulas.log_offsets, (DISTANCES / 1.0, 8)),
        (formulas.bounded, (gates,)),
        (formulas.sandwich_kernel, (DISTANCES, formulas.sandwich_speeds(8))),
        (formulas.hard_bias_at, (DISTANCES, np.asarray(3.0))),
        (formulas.fox_steps, (gates,)),
        (formulas.cable_steps, (gates,)),
    ]
    for formula, arguments in calls:
        tensors = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                tensor.requires_grad_()
        made = formula(*tensors)
        np.testing.assert_allclose(made.detach().numpy(), formula(*arguments), rtol=1e-12)
        if formula is not formulas.hard_bias_at:
            made.sum().backward()
            for tensor in tensors:
                if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                    assert tensor.grad.isfinite().all()  # |0| ** r2 has one too
