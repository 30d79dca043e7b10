"""Positions paced by tags: plain when all steps are one, and a sum of steps otherwise."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands.formulas import tagged_positions
from clockhands.positions import tag_counts

sentences = st.lists(st.integers(0, 3), min_size=1, max_size=40)


@given(sentences, st.sampled_from([np.float32, np.float64]))
def test_all_ones_are_plain_positions_exactly(tags: list[int], dtype) -> None:
    places = tagged_positions(tag_counts(np.asarray(tags), 4), np.ones(4, dtype))
    assert places.dtype == dtype
    assert places.tolist() == list(range(len(tags)))


@given(sentences, st.lists(st.floats(0, 3), min_size=4, max_size=4))
def test_each_step_is_the_sensitivity_of_the_token_reached(tags: list[int], steps: list[float]) -> None:
    places = tagged_positions(tag_counts(np.asarray(tags), 4), np.asarray(steps))
    walked = np.cumsum([0.0, *(steps[tag] for tag in tags[1:])])
    np.testing.assert_allclose(places, walked, atol=1e-9)


def test_gradient_is_the_count() -> None:
    counts = torch.as_tensor(tag_counts(np.asarray([0, 1, 1, 0]), 2))
    sensitivity = torch.ones(2, dtype=torch.float64, requires_grad=True)
    tagged_positions(counts, sensitivity)[-1].backward()
    assert sensitivity.grad is not None
    assert sensitivity.grad.tolist() == pytest.approx([1, 2])
