"""The sinusoid of every distance, against a table of distances read directly and by the published shift."""

from __future__ import annotations

import math

import numpy as np
import torch

from clockhands.formulas import angles, default_inv_freq, weigh_distance_sinusoid

WIDTH = 10
SPEEDS = default_inv_freq(WIDTH)


def row(distance: int) -> list[float]:
    """The sinusoid at one distance, all sines first."""
    turns = [distance * 10000 ** (-2 * i / WIDTH) for i in range(WIDTH // 2)]
    return [math.sin(turn) for turn in turns] + [math.cos(turn) for turn in turns]


def weighed(weights: np.ndarray, queries: list[int], keys: list[int]) -> np.ndarray:
    q, k = (angles(np.asarray(positions), SPEEDS) for positions in (queries, keys))
    return weigh_distance_sinusoid(weights, q, k)


def test_any_positions_with_gaps_and_far_out() -> None:
    queries, keys = [0, 7, 3, 100_000], [99_990, 0, 12, 5, 5]
    weights = np.random.default_rng(0).normal(size=(4, WIDTH))
    wanted = [
        [sum(weight * wave for weight, wave in zip(weights[i], row(m - n), strict=True)) for n in keys]
        for i, m in enumerate(queries)
    ]
    np.testing.assert_allclose(weighed(weights, queries, keys), wanted, rtol=0, atol=1e-10)


def shifted(scores: np.ndarray, num_keys: int) -> np.ndarray:
    """The published trick: scores by falling distance, read anew with one column more in each row."""
    num_queries, num_distances = scores.shape
    padded = np.concatenate([np.zeros((num_queries, 1)), scores], axis=1)
    return padded.reshape(num_distances + 1, num_queries)[1:].reshape(num_queries, num_distances)[
        :, :num_keys
    ]


def test_the_shift_of_rows_gives_the_same() -> None:
    # Dai et al. 2019, appendix B: queries are the last of the keys, distances fall from the farthest to 0.
    num_queries, num_keys = 4, 7
    weights = np.random.default_rng(1).normal(size=(num_queries, WIDTH))
    table = np.asarray([row(distance) for distance in range(num_keys - 1, -1, -1)])
    by_shift = shifted(weights @ table.T, num_keys)
    queries = list(range(num_keys - num_queries, num_keys))
    directly = weighed(weights, queries, list(range(num_keys)))
    past = np.asarray(queries)[:, None] >= np.arange(num_keys)  # the trick leaves rubbish in the future
    np.testing.assert_allclose(by_shift[past], directly[past], rtol=0, atol=1e-12)
    assert not np.allclose(by_shift, directly)


def test_torch_keeps_the_type_of_the_weights() -> None:
    weights = np.random.default_rng(2).normal(size=(3, WIDTH))
    turns = angles(np.arange(3), SPEEDS)
    wanted = weigh_distance_sinusoid(weights, turns, turns)
    got = weigh_distance_sinusoid(
        torch.tensor(weights, dtype=torch.float32), torch.tensor(turns), torch.tensor(turns)
    )
    assert got.dtype == torch.float32
    np.testing.assert_allclose(got.numpy(), wanted, atol=1e-5)
