"""Words keep their distance and stay near where they belong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.plots.spacing import apart


def test_what_is_far_apart_stays_and_what_is_not_is_centred() -> None:
    assert apart([5.0, 0.0, 5.0], 1.0, 9.0) == [4.5, 0.0, 5.5]
    assert apart([0.0, 0.0, 0.0], 2.0, 1.0) == [-3.0, -1.0, 1.0]  # from the top down
    assert apart([0.0, 0.0, 0.0], 2.0, 9.0, 0.0) == [0.0, 2.0, 4.0]  # none below the bottom
    assert apart([0.0, 0.0], 2.0, 1.0, 0.0) == [-1.0, 1.0]  # unless there is no room


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=12))
def test_neighbours_keep_the_gap_and_their_order(heights: list[float]) -> None:
    placed = np.array(apart(heights, 0.5, 10.0))
    order = np.argsort(heights, kind="stable")
    assert (np.diff(placed[order]) >= 0.5 - 1e-9).all()
    assert placed.max() <= 10.0
    if (np.diff(np.sort(heights)) >= 0.5).all():
        assert placed.tolist() == pytest.approx(heights)
