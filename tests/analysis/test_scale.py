"""Millions of positions: in blocks or by closed forms, as exact as few, in memory that does not grow."""

import tracemalloc

import numpy as np
import pytest

from clockhands.analysis import kernel as curves
from clockhands.analysis.decay import decay_bound, random_scores
from clockhands.analysis.hands import hands
from clockhands.analysis.horizon import horizon, nearest_return
from clockhands.analysis.kernel import kernel, kernel_blocks, kernel_range
from clockhands.analysis.precision import Precision, angle_error, distinct_positions, rounded
from clockhands.analysis.uniqueness import uniqueness

GEOMETRIC = 1e4 ** (-np.arange(0, 32, 2) / 32)
SETS = (
    GEOMETRIC,
    GEOMETRIC[:3],
    np.linspace(1, 0.01, 16),
    np.array([1.0]),
    np.array([0.0]),
    np.array([1e-4]),
)
MANY = 1e4 ** (-np.arange(0, 128, 2) / 128)


def told(speeds, n):
    """All that is said of a curve, to 12 digits."""
    seen, apart, back = horizon(speeds, n), uniqueness(speeds, n), nearest_return(speeds, n)
    echo = seen.echo and (seen.echo.distance, round(seen.echo.value, 12))
    return (
        seen.first_rise, seen.rising_share, seen.first_negative, seen.lowest.distance, echo,
        round(seen.lowest.value, 12), apart.first_alias, back.distance, round(back.value, 12),
    )  # fmt: skip


@pytest.mark.parametrize("speeds", SETS, ids=["geometric", "few", "linear", "one", "still", "slow"])
def test_blocks_say_what_the_whole_curve_says(speeds, monkeypatch):
    whole = [told(speeds, n) for n in (1, 64, 65, 2000)]
    monkeypatch.setattr(curves, "_BLOCK", 64)
    monkeypatch.setattr(curves.kernel_blocks, "__defaults__", (0, 64))
    assert [told(speeds, n) for n in (1, 64, 65, 2000)] == whole
    blocks = list(kernel_blocks(speeds, 200, start=7))
    assert [start for start, _ in blocks] == [7, 71, 135, 199]
    np.testing.assert_allclose(
        np.concatenate([values for _, values in blocks]), kernel_range(speeds, 200, 7).values, atol=1e-13
    )


@pytest.mark.parametrize("of", [horizon, uniqueness, nearest_return])
def test_memory_does_not_grow_with_the_distances(of, monkeypatch):
    monkeypatch.setattr(curves, "_BLOCK", 2**12)
    monkeypatch.setattr(curves.kernel_blocks, "__defaults__", (0, 2**12))
    tracemalloc.start()
    of(GEOMETRIC[:4], 2**19)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**21  # the curve alone is twice that


def test_a_look_at_the_first_block_costs_no_more():
    first = kernel_blocks(MANY, 10**9, first=8)
    assert [len(next(first)[1]) for _ in range(3)] == [8, 16, 32]


def test_long_lists_one_step_apart_are_as_exact_as_single_distances():
    distances = 10**8 + 3 * np.arange(2**16 + 1)
    some = [0, 1, 257, 40_000, 2**16]
    found = kernel(MANY, distances).values
    np.testing.assert_allclose(found[some], kernel(MANY, distances[some]).values, rtol=0, atol=2e-15)
    falling = kernel(MANY, distances[::-1]).values
    np.testing.assert_allclose(falling, found[::-1], rtol=0, atol=2e-15)
    odd = distances.copy()
    odd[-1] += 1  # no longer one step
    assert kernel(MANY, odd).values[-1] == pytest.approx(kernel(MANY, [int(odd[-1])]).values[0], abs=2e-15)


def test_lists_in_parts_are_what_each_part_is():
    places = np.arange(10**6, 10**6 + 5000)
    halves = np.array_split(places, [123, 3000])
    for of in (
        lambda p: angle_error(MANY, p, "fp32").tip.values,
        lambda p: angle_error(MANY, p, "bf16").angle.values,
        lambda p: decay_bound(MANY, p).values,
        lambda p: hands(MANY, p).values,
    ):
        np.testing.assert_array_equal(of(places), np.concatenate([of(half) for half in halves]))


def test_random_scores_hold_few_logits_at_a_time(monkeypatch):
    whole = random_scores(GEOMETRIC, range(500), samples=40)
    monkeypatch.setattr("clockhands.analysis.decay._LOGITS", 40 * 64)
    parts = random_scores(GEOMETRIC, range(500), samples=40)
    np.testing.assert_allclose(parts.mean.values, whole.mean.values, atol=1e-12)
    np.testing.assert_allclose(parts.spread.values, whole.spread.values, atol=1e-12)


def test_positions_told_apart_are_counted_for_any_length():
    cases: dict[Precision, list[int]] = {
        "bf16": [*range(250, 1100)],
        "fp16": [*range(2040, 2056), *range(65_517, 65_523)],
    }
    for precision, lengths in cases.items():
        stored = rounded(np.arange(lengths[-1]), precision)
        for n in lengths:
            found, shift = distinct_positions(n, precision), np.abs(stored[:n] - np.arange(n))
            assert (found.distinct, found.worst_shift) == (len(set(stored[:n].tolist())), shift.max()), n
    # 256 + 18 octaves of 128, 2^26 itself, and 63 steps of 2^19 from there to 10^8
    assert distinct_positions(10**8, "bf16").distinct == 256 + 18 * 128 + 1 + 63
    assert distinct_positions(10**8, "fp32").distinct == 2**25 + 1 + round((10**8 - 1 - 2**26) / 8)
    assert distinct_positions(10**15, "fp32").worst_shift == 2**25
