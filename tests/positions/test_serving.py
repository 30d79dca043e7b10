"""Evicted caches, packed boundaries and context-parallel ranks: each a slice of what the whole gives."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands import positions
from clockhands.core.attend import attend, enter
from clockhands.core.cache import LayerCache
from clockhands.errors import ClockhandsError
from clockhands.schemes import make

LIBRARIES = pytest.mark.parametrize("xp", [np, torch, array_api_strict], ids=lambda xp: xp.__name__)
ORDERS = st.sampled_from(["zigzag", "contiguous"])


def plain(array: Any) -> list[Any]:
    return np.from_dlpack(array).tolist()


# packed boundaries ---------------------------------------------------------------------------------


@LIBRARIES
def test_boundaries_lengths_and_documents_say_the_same(xp: Any) -> None:
    boundaries = xp.asarray([0, 3, 5, 6])
    assert plain(positions.cu_seqlens_of(xp.asarray([3, 2, 1]))) == [0, 3, 5, 6]
    assert plain(positions.from_cu_seqlens(boundaries)) == [0, 1, 2, 0, 1, 0]
    assert plain(positions.documents_of(boundaries)) == [0, 0, 0, 1, 1, 2]


@given(st.lists(st.integers(0, 5), max_size=6))
def test_there_and_back(lengths: list[int]) -> None:
    boundaries = positions.cu_seqlens_of(lengths)
    documents = positions.documents_of(boundaries)
    assert np.bincount(documents, minlength=len(lengths)).tolist() == lengths
    assert positions.from_cu_seqlens(boundaries).tolist() == positions.from_lengths(lengths).tolist()
    assert positions.from_documents(documents[None])[0].tolist() == positions.from_lengths(lengths).tolist()


# evictions -------------------------------------------------------------------------------------------


@LIBRARIES
def test_what_streaming_keeps(xp: Any) -> None:
    like = None if xp is np else xp.asarray([0])
    assert plain(positions.kept_slots(10, 4, 3, like=like)) == [0, 1, 2, 3, 7, 8, 9]
    assert plain(positions.kept_slots(7, 4, 3, like=like)) == [0, 1, 2, 3, 4, 5, 6]
    assert plain(positions.kept_slots(8, 0, 3, like=like)) == [5, 6, 7]


@LIBRARIES
def test_kept_tokens_stay_where_they_were_or_are_counted_anew(xp: Any) -> None:
    """Evict 4 of 10: the next position is 10 in the text; StreamingLLM counts rows, and takes 6."""
    slots = positions.kept_slots(10, 2, 4, like=None if xp is np else xp.asarray([0]))
    text = xp.asarray([list(range(10)), [0, 0, 0, *range(1, 8)]])
    kept = positions.after_eviction(text, slots)
    assert plain(kept.positions) == [[0, 1, 6, 7, 8, 9], [0, 0, 4, 5, 6, 7]]
    assert plain(kept.following) == [[10], [8]]
    anew = positions.after_eviction(text, slots, "cache")
    assert plain(anew.positions) == [[0, 1, 2, 3, 4, 5]] * 2
    assert plain(anew.following) == [[6]] * 2


@given(st.integers(1, 40), st.integers(0, 5), st.integers(1, 10))
def test_a_cache_is_never_larger_than_it_may_be(length: int, sinks: int, window: int) -> None:
    slots = positions.kept_slots(length, sinks, window).tolist()
    assert len(slots) == min(length, sinks + window)
    assert slots == sorted(set(slots))
    assert set(range(min(sinks, length))) | set(range(max(0, length - window), length)) == set(slots)


def test_sizes_that_keep_nothing_are_refused() -> None:
    with pytest.raises(ClockhandsError, match="window is 0"):
        positions.kept_slots(9, 4, 0)


def test_decoding_after_an_eviction_is_attention_over_what_was_kept() -> None:
    """With positions of the text, kept keys need no turning: it equals a whole text without the evicted."""
    rope = make("rope", head_dim=8)
    x, (q, k, v) = torch.zeros(1, 11, 8), (
        torch.randn(1, 2, 11, 8, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        for seed in (1, 2, 3)
    )  # fmt: skip
    slots = positions.kept_slots(10, 2, 4, like=torch.zeros(1))
    kept = positions.after_eviction(torch.arange(10)[None], slots)
    last = torch.cat((kept.positions, kept.following), dim=-1)
    rows = torch.cat((slots, torch.tensor([10])))
    cache = LayerCache()
    parts = ((slots, kept.positions), (torch.tensor([10]), kept.following))
    for slot, where in parts:
        placed = enter([rope], x[:, slot], where)[1][0]
        decoded = attend(placed, q[:, :, slot], k[:, :, slot], v[:, :, slot], cache=cache).output
    whole = attend(enter([rope], x[:, rows], last)[1][0], q[:, :, rows], k[:, :, rows], v[:, :, rows]).output
    torch.testing.assert_close(decoded, whole[:, :, -1:])


# context parallelism -----------------------------------------------------------------------------------


@LIBRARIES
def test_the_public_example(xp: Any) -> None:
    """Megatron-LM #5243: boundaries 0 4 8, two ranks; and one sequence of 8."""
    like = None if xp is np else xp.asarray([0])
    packed = positions.packed_shard_slots([4, 4], 0, 2, like=like)
    assert plain(packed) == [0, 3, 4, 7]
    whole = positions.from_lengths(xp.asarray([4, 4]))
    assert plain(positions.sharded(whole, packed)) == [0, 3, 0, 3]
    assert plain(positions.shard_slots(8, 0, 2, like=like)) == [0, 1, 6, 7]
    assert plain(positions.shard_slots(8, 1, 2, like=like)) == [2, 3, 4, 5]
    assert plain(positions.shard_slots(8, 1, 2, "contiguous", like=like)) == [4, 5, 6, 7]


def counted_by_the_rank(lengths: list[int], rank: int, ranks: int, order: str) -> list[int]:
    """A rank's positions from its number alone, without the whole: what a kernel would compute."""
    placed: list[int] = []
    for length in lengths:
        if order == "contiguous":
            size = length // ranks
            placed += [rank * size + step for step in range(size)]
        else:
            size = length // (2 * ranks)
            placed += [rank * size + step for step in range(size)]
            placed += [length - (rank + 1) * size + step for step in range(size)]
    return placed


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 4), ORDERS)
def test_each_rank_holds_a_slice_of_the_whole(units: list[int], ranks: int, order: str) -> None:
    lengths = [2 * ranks * unit for unit in units]
    whole = positions.from_lengths(lengths)
    held = [positions.packed_shard_slots(lengths, rank, ranks, order) for rank in range(ranks)]
    for rank, slots in enumerate(held):
        counted = counted_by_the_rank(lengths, rank, ranks, order)
        assert positions.sharded(whole, slots).tolist() == counted
        assert slots.tolist() == sorted(slots.tolist())
    assert sorted(np.concatenate(held).tolist()) == list(range(sum(lengths)))  # each slot once
    back = np.concatenate([positions.sharded(whole, slots) for slots in held])[positions.gathered_order(held)]
    assert back.tolist() == whole.tolist()


@given(st.integers(1, 4), st.integers(1, 4))
def test_zigzag_gives_all_ranks_equal_work(ranks: int, unit: int) -> None:
    """Under a causal mask a token at position p sees p + 1 keys."""
    work = [sum(positions.shard_slots(2 * ranks * unit, rank, ranks).tolist()) for rank in range(ranks)]
    assert len(set(work)) == 1


def test_positions_of_axes_are_sharded_along_tokens() -> None:
    line = positions.from_parts([2, positions.Grid(1, 2, 2), 2])
    slots = positions.shard_slots(8, 0, 2)
    assert line[slots].tolist() == positions.sharded(line.T, slots).T.tolist()


@pytest.mark.parametrize(
    ("length", "rank", "ranks", "message"),
    [
        (6, 0, 2, "6 tokens can't be cut into 4 equal parts.*pad to a multiple of 4"),
        (8, 2, 2, "for rank 2 of 2: .* a rank from 0 to 1"),
    ],
)
def test_what_cannot_be_cut_is_refused(length: int, rank: int, ranks: int, message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        positions.shard_slots(length, rank, ranks)
