"""Running counts per tag: they sum to the position and carry over a cache."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands.positions import from_mask, tag_counts

sentences = st.lists(st.integers(0, 2), min_size=1, max_size=30)


@pytest.mark.parametrize("xp", [np, torch, array_api_strict], ids=lambda xp: xp.__name__)
def test_counts_by_hand(xp: Any) -> None:
    counts = tag_counts(xp.asarray([[0, 1, 1, 0], [2, 2, 0, 1]]), 3)
    expected = [
        [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 2, 0]],
        [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]],
    ]
    assert np.from_dlpack(counts).tolist() == expected


@given(sentences)
def test_counts_sum_to_the_plain_position(tags: list[int]) -> None:
    counts = tag_counts(np.asarray(tags), 3)
    assert counts.dtype == np.int64
    assert counts.sum(-1).tolist() == list(range(len(tags)))


@given(sentences, sentences)
def test_chunks_give_what_the_whole_gives(first: list[int], second: list[int]) -> None:
    whole = tag_counts(np.asarray(first + second), 3)
    before = tag_counts(np.asarray(first), 3)
    after = tag_counts(np.asarray(second), 3, start=before[-1])
    np.testing.assert_array_equal(np.concatenate([before, after]), whole)


def test_given_steps_belong_to_the_token_that_is_reached() -> None:
    counts = tag_counts(np.asarray([0, 1, 0]), 2, steps=np.asarray([0, 4, 1]))
    assert counts.tolist() == [[0, 0], [0, 4], [1, 4]]
    assert counts.sum(-1).tolist() == [0, 4, 5]


def test_a_padding_tag_takes_no_step() -> None:
    tags, mask = np.asarray([-1, -1, 0, 1, 1]), np.asarray([0, 0, 1, 1, 1])
    steps = np.diff(from_mask(mask), prepend=0)
    counts = tag_counts(tags, 2, steps=steps)
    assert counts.tolist() == [[0, 0], [0, 0], [0, 0], [0, 1], [0, 2]]
    assert counts[2:].tolist() == tag_counts(tags[2:], 2).tolist()


def test_starts_of_a_batch_are_its_rows_own() -> None:
    counts = tag_counts(np.asarray([[0], [1]]), 2, start=np.asarray([[5, 0], [0, 7]]))
    assert counts.tolist() == [[[6, 0]], [[0, 8]]]
