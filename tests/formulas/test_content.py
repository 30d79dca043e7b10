"""Formulas whose numbers come from the tokens, each against the loops that its paper writes out."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from clockhands import formulas

RANDOM = np.random.default_rng(5)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


# CoPE --------------------------------------------------------------------------------------------


def test_open_gates_count_every_token() -> None:
    gates = np.tril(np.ones((5, 5)))
    wanted = [[max(m - n + 1, 0) for n in range(5)] for m in range(5)]
    assert formulas.contextual_positions(gates, 63.0).tolist() == wanted
    assert formulas.contextual_positions(gates, 2.0).max() == 2


def test_a_position_is_the_sum_of_the_gates_from_the_key_to_the_query() -> None:
    gates = np.tril(RANDOM.random((2, 6, 6)))
    got = formulas.contextual_positions(gates, 2.5)
    for head, m, n in np.ndindex(got.shape):
        assert got[head, m, n] == pytest.approx(min(sum(gates[head, m, j] for j in range(n, m + 1)), 2.5))


def test_between_two_rows_it_goes_in_a_straight_line() -> None:
    values, positions = RANDOM.normal(size=(4, 9)), RANDOM.random((4, 20)) * 8
    for row in range(4):
        wanted = np.interp(positions[row], np.arange(9), values[row])
        np.testing.assert_allclose(formulas.interpolated(values, positions)[row], wanted)
    whole = np.asarray([[0.0, 3.0, 8.0]])
    assert formulas.interpolated(values[:1], whole).tolist() == [values[0, [0, 3, 8]].tolist()]


# CARoPE -------------------------------------------------------------------------------------------


def test_a_frequency_lies_between_0_and_1_and_can_be_asked_for() -> None:
    x = np.asarray([-30.0, -2.0, 0.0, 5.0, 400.0])
    got = formulas.context_frequency(x)
    for value, frequency in zip(x, got, strict=True):
        assert frequency == pytest.approx(1 / (math.log1p(math.exp(value)) + 1))
        assert 0 < frequency < 1
    for frequency in (1e-6, 0.01, 0.5, 0.999):
        projected = np.asarray(formulas.projected_for(frequency))
        assert formulas.context_frequency(projected) == pytest.approx(frequency, rel=1e-12)


def test_powers_of_the_base_are_the_frequencies_of_rope() -> None:
    first = np.asarray(10000.0 ** (-2 / 16))
    np.testing.assert_allclose(formulas.frequency_powers(first, 8), formulas.default_inv_freq(16, 1e4))


# stick-breaking ----------------------------------------------------------------------------------------


def test_each_key_takes_its_share_of_what_nearer_ones_left() -> None:
    logits, visible = RANDOM.normal(size=(3, 7)) * 3, RANDOM.random((3, 7)) < 0.7
    got = formulas.stick_breaking(logits, visible)
    for m in range(3):
        stick = 1.0
        for n in reversed(range(7)):
            share = stick * sigmoid(logits[m, n]) if visible[m, n] else 0.0
            assert got[m, n] == pytest.approx(share, rel=1e-12)
            stick -= share
        assert 0 <= stick == pytest.approx(1 - got[m].sum())


def test_a_stick_never_breaks_into_more_than_it_was() -> None:
    certain = formulas.stick_breaking(np.asarray([[-800.0, 800.0, 900.0, -900.0]]), np.asarray([True]))
    assert certain.tolist() == [[0, 0, 1, 0]]
    assert (
        formulas.stick_breaking(RANDOM.normal(size=(50, 30)) * 9, np.asarray([True])).sum(-1) <= 1 + 1e-12
    ).all()


# PaTH ----------------------------------------------------------------------------------------------------


def householder_by_loops(
    q: np.ndarray, k: np.ndarray, w: np.ndarray, beta: np.ndarray, documents: np.ndarray
) -> np.ndarray:
    """``k_n . H_{n+1} ... H_m q_m``, each matrix written out and multiplied in turn."""
    length, width = k.shape
    start = length - len(q)
    logits = q @ k.T
    for m in range(start, length):
        passed = q[m - start]
        for n in range(m, -1, -1):  # the query walks back; H_m is the first that it meets
            if documents[n] == documents[m]:
                logits[m - start, n] = k[n] @ passed
                passed = (np.eye(width) - beta[n] * np.outer(w[n], w[n])) @ passed
    return logits


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


@pytest.mark.parametrize("queries", [1, 4, 9])
def test_mirrors_on_the_way_are_multiplied_in_order(queries: int) -> None:
    k, w = RANDOM.normal(size=(9, 5)), unit(RANDOM.normal(size=(9, 5)))
    q, beta = RANDOM.normal(size=(queries, 5)), RANDOM.random(9) * 2
    wanted = householder_by_loops(q, k, w, beta, np.zeros(9))
    np.testing.assert_allclose(formulas.path_logits(q, k, w, beta), wanted, atol=1e-12)
    documents = np.asarray([0, 0, 1, 0, 1, 1, 2, 0, 1])  # even interleaved
    same = documents[:, None] == documents
    got, wanted = formulas.path_logits(q, k, w, beta, same), householder_by_loops(q, k, w, beta, documents)
    np.testing.assert_allclose(got[same[-queries:]], wanted[same[-queries:]], atol=1e-12)


@pytest.mark.parametrize("block", [1, 2, 4, 9, 64])
@pytest.mark.parametrize("queries", [1, 4, 9])
def test_blocks_of_mirrors_are_all_mirrors(queries: int, block: int) -> None:
    k, w = RANDOM.normal(size=(2, 9, 5)), unit(RANDOM.normal(size=(2, 9, 5)))
    q, beta = RANDOM.normal(size=(2, queries, 5)), RANDOM.random((2, 9)) * 2
    got = formulas.path_logits_in_blocks(q, k, w, beta, block=block)
    np.testing.assert_allclose(got, formulas.path_logits(q, k, w, beta), atol=1e-12)
    documents = np.asarray([0, 0, 1, 0, 1, 1, 2, 0, 1])
    same = documents[:, None] == documents
    got = formulas.path_logits_in_blocks(q[0], k[0], w[0], beta[0], same, block)
    wanted = householder_by_loops(q[0], k[0], w[0], beta[0], documents)
    np.testing.assert_allclose(got[same[-queries:]], wanted[same[-queries:]], atol=1e-12)


def test_no_strength_lets_all_pass_and_perfect_mirrors_keep_lengths() -> None:
    w, x = unit(RANDOM.normal(size=(6, 4))), RANDOM.normal(size=(6, 4))
    np.testing.assert_allclose(formulas.path_logits(x, x, w, np.zeros(6)), x @ x.T)
    # What the last query has become once it reaches token 0, read off by the unit vectors as that key.
    basis = np.stack([np.concatenate([e[None], x[1:]]) for e in np.eye(4)])
    arrived = formulas.path_logits(x[None, -1:], basis, w[None], np.full((1, 6), 2.0))[:, 0, 0]
    assert np.linalg.norm(arrived) == pytest.approx(np.linalg.norm(x[-1]), rel=1e-12)
    assert not np.allclose(arrived, x[-1])


def test_keys_after_the_query_meet_no_mirror() -> None:
    w, x = unit(RANDOM.normal(size=(6, 4))), RANDOM.normal(size=(6, 4))
    later = np.triu(np.ones((6, 6), bool))
    np.testing.assert_allclose(formulas.path_logits(x, x, w, np.ones(6))[later], (x @ x.T)[later])


# GRAPE ----------------------------------------------------------------------------------------------------


def test_turning_in_a_plane_is_the_exponential_of_its_generator() -> None:
    for angle in (0.3, 2.0, -17.0):
        a, b, x = RANDOM.normal(size=(3, 5))
        generator = torch.tensor(np.outer(a, b) - np.outer(b, a))
        wanted = torch.linalg.matrix_exp(angle * generator).numpy() @ x
        turned = angle * formulas.plane_speed(a, b)
        got = formulas.turn_in_plane(x, a, b, np.cos(turned), np.sin(turned))
        np.testing.assert_allclose(got, wanted, atol=1e-12)
        assert np.linalg.norm(got) == pytest.approx(np.linalg.norm(x))


def test_planes_along_the_axes_are_rope() -> None:
    x, angles = RANDOM.normal(size=6), 7 * formulas.default_inv_freq(6, 100.0)
    turned, axes = x, np.eye(6)
    for pair, angle in enumerate(angles):
        # exp(angle (a b^T - b a^T)) turns b towards a, and RoPE the first of a pair towards the second
        a, b = axes[2 * pair + 1], axes[2 * pair]
        turned = formulas.turn_in_plane(turned, a, b, np.cos(angle), np.sin(angle))
    wanted = formulas.rotate(x, np.cos(angles), np.sin(angles), "interleaved")
    np.testing.assert_allclose(turned, wanted, atol=1e-14)


def test_two_vectors_along_one_line_span_no_plane() -> None:
    x, a = RANDOM.normal(size=(2, 4))
    speed = formulas.plane_speed(a, 2 * a)
    assert 0 < speed < 1e-6
    assert np.isfinite(formulas.turn_in_plane(x, a, 2 * a, np.cos(speed), np.sin(speed))).all()


# PoPE ------------------------------------------------------------------------------------------------------


def test_polar_products_are_lengths_times_the_cosine_of_the_angle_between() -> None:
    q, k = RANDOM.normal(size=(2, 6))
    speeds = formulas.default_inv_freq(12, 1e4)  # one hand for each of 6 dimensions
    got = formulas.polar(q, 40 * speeds) @ formulas.polar(k, 33 * speeds)
    parts = zip(q, k, speeds, strict=True)
    wanted = sum(math.log1p(math.exp(a)) * math.log1p(math.exp(b)) * math.cos(7 * w) for a, b, w in parts)
    assert got == pytest.approx(wanted)
    assert formulas.polar(q.astype(np.float32), 40 * speeds).dtype == np.float32
