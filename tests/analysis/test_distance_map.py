"""Distance maps: what is masked, what the last query is given, and how far its distances are true."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.distance_map import distance_map
from clockhands.catalogue import describe
from clockhands.errors import ClockhandsError


def test_the_future_is_masked_and_the_last_row_is_read_from_the_query() -> None:
    found = distance_map(lambda q, k: 10.0 * q[:, None] + k, np.array([0, 1, 4]))
    np.testing.assert_array_equal(found.map.values, [[0, np.nan, np.nan], [10, 11, np.nan], [40, 41, 44]])
    assert found.last.values.tolist() == [44, 41, 40]
    assert found.last.axes[0].values.tolist() == [0, 3, 4]
    assert found.largest == 44
    assert found.exact == 0


def test_how_far_the_distances_are_true() -> None:
    string = describe("string-shift", shift=6, local=3)
    assert distance_map(string.distance_map, np.arange(20)).exact == 6
    assert distance_map(string.distance_map, np.arange(6)).exact == 6  # all there are
    streaming = describe("streaming", sinks=2, window=5)
    found = distance_map(streaming.distance_map, np.arange(20))
    assert found.exact == 5
    assert found.largest == 6
    assert np.isnan(found.last.values[5:18]).all()


@pytest.mark.parametrize("positions", [[], [1, 1], [2, 0]])
def test_positions_rise(positions: list[int]) -> None:
    with pytest.raises(ClockhandsError, match="must rise"):
        distance_map(lambda q, k: 0.0 * q[:, None] * k, np.array(positions))
