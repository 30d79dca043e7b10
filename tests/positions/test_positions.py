"""Positions under padding, packing and caches: the cases that published code got wrong."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands.errors import ClockhandsError
from clockhands.positions import (
    following,
    from_documents,
    from_lengths,
    from_mask,
    from_offset,
    tag_counts,
)

LIBRARIES = pytest.mark.parametrize("xp", [np, torch, array_api_strict], ids=lambda xp: xp.__name__)


def plain(array: Any) -> list[Any]:
    return np.from_dlpack(array).tolist()


# padding ----------------------------------------------------------------------------------


@LIBRARIES
def test_left_padding_starts_at_the_first_real_token(xp: Any) -> None:
    mask = xp.asarray([[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0]])
    expected = [[0, 0, 0, 0, 1, 2], [0, 1, 2, 3, 4, 5], [0, 1, 1, 1, 1, 1]]
    assert plain(from_mask(mask)) == expected
    assert plain(from_mask(xp.astype(mask, xp.bool) if xp is not torch else mask.bool())) == expected


def test_masks_of_any_number_type_count_alike() -> None:
    mask = np.asarray([0, 1, 1])
    for dtype in (np.bool_, np.int8, np.float32):
        positions = from_mask(mask.astype(dtype))
        assert positions.dtype == np.int64
        assert positions.tolist() == [0, 0, 1]


def test_a_long_int8_mask_does_not_overflow() -> None:
    assert from_mask(np.ones(300, np.int8))[-1] == 299


@given(st.integers(0, 9), st.integers(1, 9))
def test_a_padded_row_counts_as_it_would_alone(padding: int, real: int) -> None:
    mask = np.asarray([0] * padding + [1] * real)
    assert from_mask(mask)[padding:].tolist() == from_mask(np.ones(real)).tolist() == list(range(real))


# packing -----------------------------------------------------------------------------------


@LIBRARIES
def test_packed_documents_restart(xp: Any) -> None:
    assert plain(from_lengths(xp.asarray([3, 2]))) == [0, 1, 2, 0, 1]
    documents = xp.asarray([[7, 7, 7, 9, 9], [1, 2, 2, 2, 2]])
    assert plain(from_documents(documents)) == [[0, 1, 2, 0, 1], [0, 0, 1, 2, 3]]


def test_rows_that_continue_the_number_of_the_row_before_still_start_at_zero() -> None:
    assert from_documents(np.asarray([[1, 1], [1, 1]])).tolist() == [[0, 1], [0, 1]]


def test_a_number_that_comes_back_is_a_new_document() -> None:
    assert from_documents(np.asarray([5, 5, 6, 5, 5])).tolist() == [0, 1, 0, 0, 1]


def test_lengths_as_a_list_and_empty_documents() -> None:
    assert from_lengths([2, 0, 1]).tolist() == [0, 1, 0]
    assert from_lengths([]).tolist() == []


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_lengths_and_documents_agree(lengths: list[int]) -> None:
    documents = np.repeat(np.arange(len(lengths)), lengths)
    one_by_one = [position for length in lengths for position in range(length)]
    assert from_lengths(lengths).tolist() == from_documents(documents).tolist() == one_by_one


# caches --------------------------------------------------------------------------------------


@LIBRARIES
def test_decoding_goes_on_where_the_prompt_ended(xp: Any) -> None:
    """After a prompt of 6 tokens: 6, 7, 8; not 6, 12, 13, and after 9 tokens 9, not 10."""
    prompt = from_offset(0, 6) if xp is np else xp.asarray([0, 1, 2, 3, 4, 5])
    seen = xp.asarray(prompt)[None, :]
    for expected in (6, 7, 8):
        new = following(seen, 1)
        assert plain(new) == [[expected]]
        seen = xp.concat([seen, new], axis=-1)
    assert plain(following(seen, 2)) == [[9, 10]]


def test_eviction_does_not_move_the_next_position() -> None:
    kept = np.delete(np.arange(10), [1, 2, 3, 4])  # 6 rows are left of 10 tokens
    assert following(kept, 2).tolist() == [10, 11]


def test_left_padded_rows_each_go_on_from_their_own_end() -> None:
    seen = from_mask(np.asarray([[0, 0, 1, 1], [1, 1, 1, 1]]))
    assert following(seen, 2).tolist() == [[2, 3], [4, 5]]


@LIBRARIES
def test_offsets_for_one_start_and_for_each_row(xp: Any) -> None:
    assert from_offset(9, 3).tolist() == [9, 10, 11]
    assert plain(from_offset(xp.asarray([9, 0]), 2)) == [[9, 10], [0, 1]]
    assert plain(from_offset(xp.asarray(4), 2)) == [4, 5]


def test_nothing_leaves_the_device() -> None:
    """The meta device refuses to meet tensors of another, as a GPU does."""
    ids = torch.zeros(2, 5, dtype=torch.int64, device="meta")
    for positions in (from_mask(ids), from_documents(ids), following(ids, 3), tag_counts(ids, 4)):
        assert positions.device.type == "meta"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: from_mask("110"), "mask is '110', but it must be an array of numbers"),
        (lambda: from_mask([[1], [1, 0]]), "mask is .* rows of one length"),
        (lambda: from_documents(np.zeros(3)), "documents has shape"),
        (lambda: from_lengths([2, -1]), "lengths contain -1"),
        (lambda: from_lengths([1.5]), "lengths has shape"),
        (lambda: from_offset(0, -1), "length is -1"),
        (lambda: from_offset(0, 1.5), "length is 1.5"),
        (lambda: from_offset(0.5, 2), "start has shape"),
        (lambda: following([[]], 2), "positions has shape"),
        (lambda: following(np.zeros((1, 0), dtype=int), 2), "positions are empty"),
        (lambda: tag_counts(np.zeros(3), 2), "tags has shape"),
        (lambda: tag_counts(np.int64(1), 2), r"tags has shape \(\)"),
        (lambda: tag_counts([0, 1], 0), "num_tags is 0"),
    ],
)
def test_what_is_no_integers_is_refused(call: Any, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said) as caught:
        call()
    assert "请" in caught.value.text.zh


def test_lists_are_taken() -> None:
    assert plain(from_mask([0, 1, 1])) == [0, 0, 1]
    assert plain(from_documents([7, 7, 9])) == [0, 1, 0]
    assert plain(following([4, 5], 2)) == [6, 7]
    assert plain(from_offset([3, 5], 2)) == [[3, 4], [5, 6]]
    assert plain(tag_counts([0, 1], 2)) == [[0, 0], [0, 1]]
