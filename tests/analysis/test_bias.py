"""Bias curves and maps, ALiBi's windows (reference 2.10), T5's buckets (reference B3)."""

import numpy as np
import pytest

from clockhands.analysis.bias import bias_curves, bias_map, bucket_edges, windows
from clockhands.errors import ClockhandsError
from clockhands.formulas.buckets import t5_bucket

SLOPES = 2.0 ** -np.arange(1, 9)


def lines(distance):
    """Two heads; the future is marked so that a wrong sign shows."""
    return np.stack([-0.5 * distance, np.where(distance < 0, -100.0, -distance)])


def test_curves_are_the_function_itself():
    found = bias_curves(lines, [-2, 0, 3])
    assert found.values.tolist() == [[1.0, 0.0, -1.5], [-100.0, 0.0, -3.0]]
    assert [axis.name.en for axis in found.axes] == ["head", "distance"]


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (4, 4), (2, 5), (5, 2), (1, 7)])
def test_each_cell_has_the_bias_of_its_distance(queries, keys):
    found = bias_map(lines, queries, keys)
    position = found.axes[1].values
    assert position[-1] == found.axes[2].values[-1] == keys - 1  # the newest query is the newest key
    assert len(position) == queries
    for i, query in enumerate(position):
        for j in range(keys):
            assert found.values[:, i, j].tolist() == lines(np.array(query - j)).tolist()


def test_a_square_map_is_the_default_and_each_distance_is_asked_once():
    asked = []

    def bias(distance):
        asked.append(distance)
        return lines(distance)

    assert bias_map(bias, 3).values.shape == (2, 3, 3)
    assert [distance.tolist() for distance in asked] == [[-2, -1, 0, 1, 2]]


@pytest.mark.parametrize(
    ("field", "golden"),
    [
        ("holds_99", [10, 19, 37, 74, 148, 295, 590, 1179]),
        ("holds_95", [6, 12, 24, 48, 96, 192, 384, 767]),
        ("mean_distance", [1.541, 3.521, 7.51, 15.505, 31.503, 63.501, 127.501, 255.5]),
        ("effective_keys", [5.49, 10.9, 21.76, 43.5, 86.99, 173.97, 347.94, 695.88]),
        ("half_life", np.log(2) * 2.0 ** np.arange(1, 9)),
    ],
)
def test_golden_windows(field, golden):
    found = getattr(windows(SLOPES), field)
    np.testing.assert_allclose(found.values, golden, rtol=6e-4)
    assert found.id == field


def test_windows_against_the_weights_themselves():
    slope = 0.3
    distance = np.arange(2000)
    weights = np.exp(-slope * distance)
    weights /= weights.sum()
    found = windows([slope])
    assert np.searchsorted(weights.cumsum(), 0.95) + 1 == found.holds_95.values[0]
    assert np.searchsorted(weights.cumsum(), 0.99) + 1 == found.holds_99.values[0]
    assert found.mean_distance.values[0] == pytest.approx((weights * distance).sum())
    used = weights[weights > 0]
    assert found.effective_keys.values[0] == pytest.approx(np.exp(-(used * np.log(used)).sum()))


def test_t5_buckets_begin_where_the_reference_says():
    later = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert bucket_edges().values.tolist() == [*range(16), *later]
    both = bucket_edges(bidirectional=True).values
    assert both[8:16].tolist() == [8, 12, 16, 23, 32, 46, 64, 91]
    assert np.isnan(both[16])
    assert both[17:].tolist() == (-both[1:16]).tolist()


@pytest.mark.parametrize(("num_buckets", "max_distance"), [(16, 64), (8, 10), (2, 2), (4, 3)])
def test_edges_are_the_nearest_of_their_bucket(num_buckets, max_distance):
    distances = np.arange(300)
    buckets = t5_bucket(distances, num_buckets, max_distance, False)
    nearest = [distances[buckets == bucket] for bucket in range(num_buckets)]
    expected = [near.min() if len(near) else np.nan for near in nearest]
    np.testing.assert_array_equal(bucket_edges(num_buckets, max_distance).values, expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: windows([0.5, 0.0]), "positive number per head"),
        (lambda: windows([]), "positive number per head"),
        (lambda: windows([[0.5]]), "positive number per head"),
        (lambda: windows([np.nan]), "positive number per head"),
        (lambda: bias_curves(lambda distance: distance, [1, 2]), "give \\(heads, 2\\)"),
        (lambda: bias_curves(lambda distance: distance[None, :1], [1, 2]), "give \\(heads, 2\\)"),
        (lambda: bucket_edges(1), "number of buckets is 1"),
        (lambda: bucket_edges(3, bidirectional=True), "number of buckets is 3"),
        (lambda: bucket_edges(8, 4), "largest distance is 4"),
        (lambda: bucket_edges(16, 4, bidirectional=True), "largest distance is 4"),
        (lambda: bias_map(lines, 0), "number of queries"),
        (lambda: bias_map(lines, 2, 0), "number of keys"),
        (lambda: bias_map(lines, 2**20, 2**20), "free"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ClockhandsError, match=words):
        call()
