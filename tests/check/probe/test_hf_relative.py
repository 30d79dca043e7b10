"""What is read from biases that content takes part in, and from tables with more rows than buckets."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from clockhands.check.probe.hf.bias import farthest, rows_used
from clockhands.check.probe.hf.layers import before
from clockhands.check.probe.hf.relative import in_steps, linear, settled
from clockhands.check.probe.hf.seen import Layer
from clockhands.formulas.buckets import t5_bucket

TOKENS = 307
RNG = np.random.default_rng(0)


def by_distance(values: np.ndarray) -> np.ndarray:
    """Biases ``(b, h, t, t)`` of a value for each distance behind ``(b, h, t)``, NaN ahead."""
    t = values.shape[-1]
    distance = np.arange(t)[:, None] - np.arange(t)[None]
    return np.where(distance < 0, np.nan, values[..., np.maximum(distance, 0)])


def by_distance_of(values: np.ndarray) -> np.ndarray:
    """The same of a value for each query and distance ``(b, h, t, t)``."""
    t = values.shape[-1]
    distance = np.arange(t)[:, None] - np.arange(t)[None]
    picked = np.take_along_axis(values, np.broadcast_to(np.maximum(distance, 0), values.shape), -1)
    return np.where(distance < 0, np.nan, picked)


@pytest.mark.parametrize(("buckets", "most"), [(32, 128), (20, 64)])
def test_distances_that_share_a_bias_are_buckets(buckets: int, most: int) -> None:
    table = RNG.normal(size=(5, 3, buckets))
    bucket = t5_bucket(np.arange(TOKENS), buckets, most, False)
    assert in_steps(by_distance(table[..., bucket])) == {"num_buckets": buckets, "max_distance": most}


def test_a_vector_for_every_distance_is_no_bucket_and_ends_where_it_ends() -> None:
    values = RNG.normal(size=(5, 3, TOKENS))
    assert in_steps(by_distance(values)) == {}
    assert settled(by_distance(values)) is None
    values[..., 33:] = 0.0
    assert in_steps(by_distance(values)) == {}
    assert settled(by_distance(values)) == 33


def test_products_with_the_query_are_told_from_those_with_another_projection() -> None:
    hidden = RNG.normal(size=(5, 1, 40, 30))
    q, other = hidden @ RNG.normal(size=(30, 12)), hidden @ RNG.normal(size=(30, 12))
    vectors = RNG.normal(size=(40, 12))

    def bias(of: np.ndarray) -> np.ndarray:
        return by_distance_of(of @ vectors.T)

    assert linear(bias(q), q) is True
    assert linear(bias(other), q) is False
    assert linear(bias(q)[:1, :, :10, :10], q[:1, :, :10]) is None  # ten queries of twelve dimensions


@pytest.mark.parametrize("bidirectional", [True, False])
def test_a_table_may_have_more_rows_than_there_are_buckets(bidirectional: bool) -> None:
    distance = np.arange(1 - TOKENS, TOKENS)
    rows = t5_bucket(distance, 20, 64, bidirectional)
    assert rows_used(rows, 36, bidirectional) == (20 if bidirectional else 36)
    assert 64 in farthest(rows, 20, bidirectional)


def test_tokens_before_a_text_are_counted_and_padding_is_not() -> None:
    text = torch.ones(5, 19, 8)
    prompts = torch.arange(6.0)[None, :, None].expand(5, 6, 8)
    assert before(Layer("layers.0", torch.cat([prompts, text], 1)), 19) == 6
    places = torch.arange(19.0)[None, :, None] + text
    assert before(Layer("layers.0", torch.cat([places, torch.zeros(5, 40, 8)], 1)), 19) == 0
    assert before(Layer("layers.0", text), 19) == 0
