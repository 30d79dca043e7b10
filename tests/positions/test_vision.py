"""Grids, and text with images and videos in one row: never square, never one picture only."""

from __future__ import annotations

from itertools import product
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands.errors import ClockhandsError
from clockhands.positions import Grid, after_parts, from_grid, from_parts, from_token_types, parts_of

LIBRARIES = pytest.mark.parametrize("xp", [np, torch, array_api_strict], ids=lambda xp: xp.__name__)

sizes = st.integers(1, 4)
grids = st.builds(
    lambda t, h, w, merge, interval: Grid(t, h * merge, w * merge, merge, interval),
    sizes, sizes, sizes, st.integers(1, 2), st.sampled_from([1.0, 0.5, 2.0, 1.5, 50.0]),
)  # fmt: skip
rows = st.lists(st.one_of(st.integers(1, 5), grids), min_size=1, max_size=6)


def plain(array: Any) -> list[Any]:
    return np.from_dlpack(array).tolist()


# grids ------------------------------------------------------------------------------------------


@LIBRARIES
def test_patches_are_read_row_by_row(xp: Any) -> None:
    like = None if xp is np else xp.asarray([0])
    assert plain(from_grid(3, 5, like=like)) == [list(place) for place in product(range(3), range(5))]
    assert plain(from_grid(2, 1, 3, like=like)) == [list(p) for p in product(range(2), range(1), range(3))]
    assert from_grid(4, 0, like=like).shape == (0, 2)


# the rule -----------------------------------------------------------------------------------------


def one_by_one(parts: list[int | Grid], start: int = 0) -> list[list[int]]:
    """The rule token by token: text counts on, a picture lies at the next position, then max + 1."""
    placed: list[list[int]] = []
    for part in parts:
        begin = max((max(place) for place in placed), default=start - 1) + 1
        if isinstance(part, Grid):
            for frame, row, column in product(*map(range, part.shape)):
                placed.append([begin + int(frame * part.interval), begin + row, begin + column])
        else:
            placed += [[begin + step] * 3 for step in range(part)]
    return placed


@given(rows, st.integers(0, 7))
def test_every_row_follows_the_rule(parts: list[int | Grid], start: int) -> None:
    assert from_parts(parts, start=start).tolist() == one_by_one(parts, start)


@given(rows, rows)
def test_a_row_can_be_made_in_two_goes(first: list[int | Grid], rest: list[int | Grid]) -> None:
    head = from_parts(first)
    tail = from_parts(rest, start=int(head.max()) + 1)
    assert from_parts([*first, *rest]).tolist() == [*head.tolist(), *tail.tolist()]


@LIBRARIES
def test_all_libraries_give_the_same(xp: Any) -> None:
    parts = [3, Grid(2, 4, 6, merge=2, interval=1.5), 2]
    like = None if xp is np else xp.asarray([0])
    assert plain(from_parts(parts, like=like)) == one_by_one(parts)
    assert from_parts([], like=like).shape == (0, 3)


def test_text_alone_counts_on_all_axes() -> None:
    assert from_parts([4]).tolist() == [[0] * 3, [1] * 3, [2] * 3, [3] * 3]


def test_the_example_of_transformers() -> None:
    """3 frames of 2 x 2, 25 ticks a second, a frame for each 2 s: the docstring of Qwen2.5-VL's index."""
    placed = from_parts([Grid(3, 2, 2, interval=50.0), 5])
    assert placed[:, 0].tolist() == [0] * 4 + [50] * 4 + [100] * 4 + [101, 102, 103, 104, 105]
    assert placed[:, 1].tolist() == [0, 0, 1, 1] * 3 + [101, 102, 103, 104, 105]
    assert placed[:, 2].tolist() == [0, 1, 0, 1] * 3 + [101, 102, 103, 104, 105]


def as_transformers_goes_on(grid: Grid) -> int:
    """How far 5.24.0 moves past a picture: ``current_pos += max(grid_thw[1], grid_thw[2]) // merge``."""
    return max(grid.rows, grid.columns) // grid.merge


def test_after_a_long_video_transformers_stands_inside_it() -> None:
    """models/qwen2_vl and qwen2_5_vl/modeling_*.py of 5.24.0; 4.x took ``max() + 1``, as the paper does.

    The same for images, and for Qwen3-VL's single frames; not for a video of more frames than rows.
    """
    image, video = Grid(1, 4, 6, merge=2), Grid(5, 4, 4, merge=2)
    assert from_parts([image, 1])[-1].tolist() == [as_transformers_goes_on(image)] * 3 == [3] * 3
    assert from_parts([video, 1])[-1].tolist() == [5] * 3
    assert as_transformers_goes_on(video) == 2


def test_against_numbers_that_transformers_returned() -> None:
    """``Qwen2_5_VLModel.get_rope_index`` of 5.24.0, run with merge 2, 2 ticks a second, 1 s a frame.

    Two images under left padding agree. After the video it returned 10, where the video's last frame stands.
    """
    types = torch.tensor([[0] * 5 + [1] * 6 + [0] * 3 + [1] * 2 + [0] * 6])
    valid = torch.tensor([[False] * 2 + [True] * 20])
    placed = from_token_types(types, [Grid(1, 4, 6, merge=2), Grid(1, 2, 4, merge=2)], valid=valid)[0]
    assert placed[5:14].tolist() == [
        [3, 3, 3], [3, 3, 4], [3, 3, 5], [3, 4, 3], [3, 4, 4], [3, 4, 5], [6] * 3, [7] * 3, [8] * 3,
    ]  # fmt: skip
    assert placed[14:].tolist() == [[9, 9, 9], [9, 9, 10], *([at] * 3 for at in range(11, 17))]
    assert int(placed.max()) + 1 - 20 == -3  # its rope_deltas
    video = [3, Grid(1, 4, 6, merge=2), 2, Grid(2, 4, 4, merge=2, interval=2.0), 3]
    assert from_parts(video)[-5:].tolist() == [[10, 9, 8], [10, 9, 9], *([at] * 3 for at in (11, 12, 13))]


def test_frames_with_time_stamps_between_them_start_anew() -> None:
    """Qwen3-VL: each frame is a picture of its own, so its time is that of its start."""
    frames = Grid(2, 4, 6, merge=2).by_frame([3, 2])
    assert from_parts(frames).tolist() == one_by_one([3, Grid(1, 2, 3), 2, Grid(1, 2, 3)])
    assert from_parts(frames)[3:9].tolist() == [
        [3, 3 + row, 3 + column] for row in (0, 1) for column in (0, 1, 2)
    ]
    assert from_parts(frames)[9].tolist() == [6, 6, 6]


def test_fractions_of_an_interval_add_up() -> None:
    """transformers #48669: half a tick a frame is 0 0 1 1, and not 0 0 0 0."""
    assert from_parts([Grid(4, 1, 1, interval=0.5)])[:, 0].tolist() == [0, 0, 1, 1]
    assert from_parts([Grid(3, 1, 1, interval=1.5), 1])[:, 0].tolist() == [0, 1, 3, 4]


# going on ------------------------------------------------------------------------------------------


@given(rows, st.integers(1, 4))
def test_decoding_goes_on_after_the_largest_of_any_axis(parts: list[int | Grid], length: int) -> None:
    whole = from_parts([*parts, length])
    assert after_parts(from_parts(parts), length).tolist() == whole[-length:].tolist()


@LIBRARIES
def test_rows_of_a_batch_go_on_by_themselves(xp: Any) -> None:
    seen = xp.asarray([from_parts([2, Grid(1, 1, 2)]).tolist(), from_parts([4]).tolist()])
    assert plain(after_parts(seen, 2)) == [[[4] * 3, [5] * 3], [[4] * 3, [5] * 3]]
    seen = xp.asarray([from_parts([1, Grid(1, 1, 3)]).tolist(), from_parts([4]).tolist()])
    assert plain(after_parts(seen, 1)) == [[[4] * 3], [[4] * 3]]


# tokens that say what they are ----------------------------------------------------------------------


def types_of(parts: list[int | Grid], kind: int = 1) -> list[int]:
    return [
        token for part in parts
        for token in ([kind] * part.tokens if isinstance(part, Grid) else [0] * part)
    ]  # fmt: skip


@given(rows, st.integers(0, 4), st.integers(1, 2))
def test_types_and_grids_say_the_same_as_parts(parts: list[int | Grid], padding: int, kind: int) -> None:
    types = np.asarray([[0] * padding + types_of(parts, kind)])
    valid = np.asarray([[False] * padding + [True] * (types.shape[1] - padding)])
    pictures = [part for part in parts if isinstance(part, Grid)]
    given = {"images": pictures} if kind == 1 else {"videos": pictures}
    placed = from_token_types(types, **given, valid=valid)
    assert placed[0, padding:].tolist() == from_parts(parts).tolist()
    assert not placed[0, :padding].any()


def test_pictures_without_text_between_them_are_told_apart() -> None:
    """transformers 5.24.0 groups equal types, and takes two pictures in a row for one."""
    assert parts_of([1, 1, 1, 0], iter([Grid(1, 1, 2), Grid(1, 1, 1)]), iter([])) == [
        Grid(1, 1, 2), Grid(1, 1, 1), 1,
    ]  # fmt: skip


def test_rows_take_their_grids_in_reading_order() -> None:
    types = torch.tensor([[0, 1, 1, 2], [1, 0, 0, 0]])
    placed = from_token_types(types, [Grid(1, 2, 1), Grid(1, 1, 1)], [Grid(1, 1, 1)])
    assert placed.tolist()[0] == [[0] * 3, [1, 1, 1], [1, 2, 1], [3] * 3]
    assert placed.tolist()[1] == [[0] * 3, [1] * 3, [2] * 3, [3] * 3]
    assert placed.dtype == torch.int64


@LIBRARIES
def test_types_of_any_library(xp: Any) -> None:
    placed = from_token_types(xp.asarray([[0, 1]]), [Grid(1, 2, 2, merge=2)], valid=xp.asarray([[1, 1]]))
    assert plain(placed) == [[[0] * 3, [1] * 3]]


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([], "slots 1 to 2 hold 2 tokens of a picture, and there is no grid"),
        ([Grid(1, 2, 2)], "there is a grid of 4: give one grid for each picture, with its merge"),
        ([Grid(1, 1, 1)], "slots 2 to 2 hold 1 tokens of a picture, and there is no grid"),
        ([Grid(1, 1, 2), Grid(1, 1, 2)], r"1 grid\(s\) have no tokens"),
    ],
)
def test_grids_that_do_not_fit_are_refused(images: list[Grid], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        from_token_types(np.asarray([[0, 1, 1]]), images)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid(1, 3, 4, merge=2), "3 rows and 4 columns can't be merged by 2"),
        (lambda: Grid(0, 3, 4), "frames is 0"),
        (lambda: Grid(1, 3, 4, interval=-1.0), "interval is -1.0"),
        (lambda: Grid(3, 2, 2).by_frame([1, 2]), "2 time stamps for 3 frames"),
    ],
)
def test_grids_that_make_no_sense_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        make()
