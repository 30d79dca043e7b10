"""Distance maps, written out by hand, and their limits."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from clockhands import formulas
from clockhands.formulas.remaps import Leg, effective_distance

N = np.nan


def plain(length: int) -> np.ndarray:
    return (np.arange(length)[:, None] - np.arange(length)).astype(float)


def drawn(legs: tuple[Leg, ...]) -> np.ndarray:
    """Only what a decoder sees: keys up to the query."""
    distance = effective_distance(legs)
    return np.where(np.tri(*distance.shape, k=0, dtype=bool), distance, N)


def both(length: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(length), np.arange(length)


def lower(*rows: list[float]) -> np.ndarray:
    """Rows of a triangle as a square, what lies above the diagonal being unseen."""
    return np.array([[*row, *([N] * (len(rows) - len(row)))] for row in rows])


WRITTEN = {
    "rerope": (
        formulas.rerope(*both(7), window=3),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [3, 3, 2, 1, 0],
            [3, 3, 3, 2, 1, 0],
            [3, 3, 3, 3, 2, 1, 0],
        ),
    ),
    "leaky": (
        formulas.rerope(*both(7), window=3, factor=2),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [3.5, 3, 2, 1, 0],
            [4, 3.5, 3, 2, 1, 0],
            [4.5, 4, 3.5, 3, 2, 1, 0],
        ),
    ),
    # The sizes of the paper's figure: trained on 7, group 2, neighbour window 4, a text of 10.
    "self-extend": (
        formulas.self_extend(*both(10), group=2, window=4),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [4, 3, 2, 1, 0],
            [4, 4, 3, 2, 1, 0],
            [5, 5, 4, 3, 2, 1, 0],
            [5, 5, 4, 4, 3, 2, 1, 0],
            [6, 6, 5, 5, 4, 3, 2, 1, 0],
            [6, 6, 5, 5, 4, 4, 3, 2, 1, 0],
        ),
    ),
    # The sizes of the paper's figure: trained on 10, chunks of 6, a text of 12; then a third chunk.
    "dual-chunk": (
        formulas.dual_chunk(*both(14), chunk=6, length=10),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [4, 3, 2, 1, 0],
            [5, 4, 3, 2, 1, 0],
            [6, 5, 4, 3, 2, 1, 0],
            [7, 6, 5, 4, 3, 2, 1, 0],
            [8, 7, 6, 5, 4, 3, 2, 1, 0],
            [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
            [9, 8, 7, 6, 5, 4, 4, 3, 2, 1, 0],
            [9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0],
            [9, 8, 7, 6, 5, 4, 6, 5, 4, 3, 2, 1, 0],
            [9, 8, 7, 6, 5, 4, 7, 6, 5, 4, 3, 2, 1, 0],
        ),
    ),
    "streaming": (
        formulas.streaming(*both(8), sinks=2, window=3),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [4, 3, 2, 1, 0],
            [4, 3, N, 2, 1, 0],
            [4, 3, N, N, 2, 1, 0],
            [4, 3, N, N, N, 2, 1, 0],
        ),
    ),
    # The paper's figure 4: position 9 of the text with 4 sinks and a cache that then holds 8 places.
    "streaming-paper": (
        formulas.streaming(np.array([9]), np.arange(10), sinks=4, window=4),
        np.array([[7, 6, 5, 4, N, N, 3, 2, 1, 0]]),
    ),
    # Trained on 9: distances from 6 on begin again at 3.
    "string-shift": (
        formulas.string_shift(*both(9), shift=6, local=3),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [4, 3, 2, 1, 0],
            [5, 4, 3, 2, 1, 0],
            [3, 5, 4, 3, 2, 1, 0],
            [4, 3, 5, 4, 3, 2, 1, 0],
            [5, 4, 3, 5, 4, 3, 2, 1, 0],
        ),
    ),
    "lm-infinite": (
        formulas.lm_infinite(*both(7), first=2, window=3),
        lower(
            [0],
            [1, 0],
            [2, 1, 0],
            [3, 2, 1, 0],
            [3, 3, 2, 1, 0],
            [3, 3, N, 2, 1, 0],
            [3, 3, N, N, 2, 1, 0],
        ),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_small_map_is_the_one_written_by_hand(name: str) -> None:
    legs, written = WRITTEN[name]
    if written.shape[0] == written.shape[1]:
        np.testing.assert_array_equal(drawn(legs), written)
    else:
        np.testing.assert_array_equal(effective_distance(legs), written)


@pytest.mark.parametrize(
    "legs",
    [
        formulas.rerope(*both(24), window=24),
        formulas.rerope(*both(24), window=5, factor=1),
        formulas.self_extend(*both(24), group=1, window=5),
        formulas.self_extend(*both(24), group=4, window=24),
        formulas.dual_chunk(*both(24), chunk=24, length=30),
        formulas.streaming(*both(24), sinks=0, window=24),
        formulas.streaming(*both(24), sinks=4, window=20),
        formulas.string_shift(*both(24), shift=7, local=7),
        formulas.lm_infinite(*both(24), first=0, window=24),
    ],
)
def test_a_remap_that_has_nothing_to_do_is_plain_rope(legs: tuple[Leg, ...]) -> None:
    seen = np.tri(24, dtype=bool)
    np.testing.assert_array_equal(effective_distance(legs)[seen], plain(24)[seen])


@pytest.mark.parametrize(
    ("legs", "trained"),
    [
        (formulas.rerope(*both(400), window=63), 64),
        (formulas.rerope(*both(400), window=20, factor=10), 20 + 380 // 10 + 1),
        (formulas.self_extend(*both((64 - 16) * 4 + 16), group=4, window=16), 64),
        (formulas.dual_chunk(*both(400), chunk=48, length=64), 64),
        (formulas.streaming(*both(400), sinks=4, window=60), 64),
        (formulas.string_shift(*both(64), shift=21, local=8), 64 - 21 + 8),
        (formulas.lm_infinite(*both(400), first=4, window=63), 64),
    ],
)
def test_no_distance_reaches_the_trained_length(legs: tuple[Leg, ...], trained: int) -> None:
    assert np.nanmax(drawn(legs)) < trained
    assert np.nanmin(drawn(legs)) == 0


def test_each_pair_is_on_one_leg_at_most() -> None:
    for legs, _ in WRITTEN.values():
        assert sum(leg.holds.astype(int) for leg in legs).max() == 1


def test_self_extend_is_not_exactly_relative() -> None:
    """Rounded before it is subtracted: the same pair one token later is at another distance."""
    here = effective_distance(formulas.self_extend(np.array([8]), np.array([1]), 4, 4))
    later = effective_distance(formulas.self_extend(np.array([9]), np.array([2]), 4, 4))
    third = effective_distance(formulas.self_extend(np.array([11]), np.array([4]), 4, 4))
    assert here.item() == later.item() == 5
    assert third.item() == 4


@pytest.mark.parametrize("name", WRITTEN)
def test_torch_makes_the_same_map(name: str) -> None:
    calls = {
        "rerope": (formulas.rerope, {"window": 3}),
        "leaky": (formulas.rerope, {"window": 3, "factor": 2}),
        "self-extend": (formulas.self_extend, {"group": 2, "window": 4}),
        "dual-chunk": (formulas.dual_chunk, {"chunk": 6, "length": 10}),
        "streaming": (formulas.streaming, {"sinks": 2, "window": 3}),
        "streaming-paper": (formulas.streaming, {"sinks": 4, "window": 4}),
        "string-shift": (formulas.string_shift, {"shift": 6, "local": 3}),
        "lm-infinite": (formulas.lm_infinite, {"first": 2, "window": 3}),
    }
    remap, how = calls[name]
    positions = np.array([[0, 3, 4, 9, 17], [2, 3, 8, 9, 23]])  # gaps, and a row of its own
    wanted = effective_distance(remap(positions, positions, **how))
    tensors = torch.tensor(positions)
    got = effective_distance(remap(tensors, tensors, **how))
    assert got.dtype == torch.float64
    np.testing.assert_array_equal(got.numpy(), wanted)
