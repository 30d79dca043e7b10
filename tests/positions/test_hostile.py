"""Whatever the positions toolkit is given, it answers with an array or with a sentence in both languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from clockhands import positions
from clockhands.errors import ClockhandsError
from clockhands.positions import Grid

HOSTILE: tuple[Any, ...] = (
    None, -1, 1.5, True, "x", 2**70, [], [[]], [1, 2], [[1, 2], [3]],
    np.asarray(3), np.asarray(1.5), np.zeros(0), np.zeros((0, 0), int), np.zeros((2, 0), int), np.arange(6),
    np.arange(6).reshape(2, 3), np.asarray([-1, 2]), np.asarray([np.nan, 1]), np.asarray([True, False]),
    np.asarray(["a"]), np.asarray([object()]), torch.zeros(2), torch.zeros((), dtype=torch.int64),
)  # fmt: skip


def pictures() -> Any:
    return iter([Grid(1, 1, 2)])


FAIR: dict[str, tuple[Any, ...]] = {
    "Grid": (1, 2, 2, 1, 1.0),
    "abacus": ("12",),
    "after_eviction": (np.arange(4), np.asarray([0, 3]), "text"),
    "after_padding_row": (np.asarray([True]), 1),
    "after_parts": (np.zeros((2, 3), int), 2),
    "cu_seqlens_of": ([1, 2],),
    "documents_of": (np.asarray([0, 2]),),
    "following": (np.arange(4), 2),
    "from_cu_seqlens": (np.asarray([0, 2]),),
    "from_documents": (np.asarray([1, 1]),),
    "from_grid": (2, 3),
    "from_lengths": ([1, 2],),
    "from_mask": (np.asarray([True]),),
    "from_offset": (9, 3),
    "from_parts": ([1, Grid(1, 2, 2)],),
    "from_token_types": (np.asarray([[0, 1, 1]]), [Grid(1, 1, 2)], []),
    "gathered_order": ([np.asarray([0, 1])],),
    "in_runs": (np.asarray([True]),),
    "kept_slots": (10, 2, 3),
    "packed_shard_slots": ([4, 4], 0, 2, "zigzag"),
    "parts_of": ([0, 1, 1], pictures, pictures),
    "shard_slots": (8, 0, 2, "zigzag"),
    "sharded": (np.arange(4), np.asarray([0, 1])),
    "tag_counts": (np.asarray([0, 1]), 2),
}
KEYWORDS: dict[str, dict[str, Any]] = {
    "coupled": {"tokens": "1+2=3", "start": 1},
    "from_parts": {"parts": [1], "start": 0},
    "from_token_types": {"types": np.asarray([[0]]), "valid": np.asarray([[True]])},
    "tag_counts": {"tags": np.asarray([0, 1]), "num_tags": 2, "steps": [0, 1], "start": [0, 1]},
}


def called(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Iterators are used up by a call, so each call gets its own."""
    return tuple(each() if each is pictures else each for each in arguments)


def test_every_function_is_here() -> None:
    assert {*FAIR, *KEYWORDS} == {*positions.__all__} - {"Kept"}


@pytest.mark.parametrize("name", FAIR)
def test_what_makes_no_sense_gets_a_sentence(name: str) -> None:
    function = getattr(positions, name)
    function(*called(FAIR[name]))
    for place in range(len(FAIR[name])):
        answered(lambda bad, at=place: function(*called((*FAIR[name][:at], bad, *FAIR[name][at + 1 :]))))


@pytest.mark.parametrize("name", KEYWORDS)
def test_so_does_what_is_given_by_name(name: str) -> None:
    function = getattr(positions, name)
    function(**KEYWORDS[name])
    for key in KEYWORDS[name]:
        answered(lambda bad, key=key: function(**KEYWORDS[name] | {key: bad}))


def answered(call: Callable[[Any], Any]) -> None:
    said = []
    for bad in HOSTILE:
        try:
            call(bad)
        except ClockhandsError as error:
            said.append(error.text)
    assert len(said) > len(HOSTILE) // 4
    assert [text.zh for text in said if "请" not in text.zh] == []
    assert max(len(text.en) for text in said) < 300


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: positions.after_eviction([0, 1], [0], "cach"), "counting is 'cach'.*did you mean 'cache'"),
        (lambda: positions.shard_slots(8, 0, 2, "zigzg"), "order is 'zigzg'.*did you mean 'zigzag'"),
        (lambda: positions.after_eviction([0, 1], [True, False]), "slots has shape .* one row of integers"),
        (lambda: positions.sharded([0, 1], [2]), "slots hold a number outside the 2"),
        (lambda: positions.documents_of([1, 3]), "cu_seqlens are .* begin with 0 and never fall"),
        (lambda: positions.from_cu_seqlens([0, 5, 2]), "begin with 0 and never fall"),
        (lambda: positions.cu_seqlens_of([2, -1]), "lengths contain -1"),
        (lambda: positions.from_lengths([2**30, 2**30]), "the sum of lengths is 2147483648"),
        (lambda: positions.gathered_order([[0, 1], [1, 2]]), "4 slots are not each of 0 to 3 once"),
        (lambda: positions.parts_of([0, 3], iter([]), iter([])), "types hold 3, but each must be 0 for text"),
        (lambda: positions.from_parts([2, "x"]), "a part that is no Grid is 'x'"),
        (lambda: positions.from_grid(), "sizes are missing"),
        (lambda: positions.from_grid(2**20, 2**20), "the number of patches is 1099511627776"),
        (lambda: positions.tag_counts([0, 1], 2, start=[0, 0, 0]), r"start has shape \(3,\).*need \(2,\)"),
        (lambda: positions.tag_counts([0, 1], 2, steps=[1]), r"steps has shape \(1,\).*need \(2,\)"),
        (lambda: positions.coupled(["1", 2]), r"tokens are \['1', 2\], but each must be a word"),
        (lambda: positions.after_parts(np.zeros((0, 3), int), 1), "positions are empty"),
        (lambda: positions.from_token_types([[0, 1]], valid=[[1]]), r"types have shape \(1, 2\) and valid"),
        (lambda: positions.from_offset(2**40, 2), "start is 1099511627776, but no length"),
    ],
)
def test_what_would_silently_mean_something_else_is_refused(call: Any, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        call()
