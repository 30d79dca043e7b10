"""Text, images and videos in one row: a time, a row and a column for each token, by the rule of M-RoPE.

Text counts on all three axes at once. A picture stands at the position that follows, and lays out its frames,
rows and columns from there. What comes after it follows the largest position of any axis: ``max + 1``.
Wang et al. 2024 (arXiv 2409.12191), section 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.arrays import (
    Array,
    as_array,
    device_of,
    listed,
    namespace_of,
    require_whole,
    whole_array,
    whole_row,
)
from clockhands.errors import ClockhandsError, shown
from clockhands.positions.grids import from_grid


@dataclass(frozen=True)
class Grid:
    """An image, or a video of several frames.

    frames, rows, columns  as models name them, ``image_grid_thw``: in patches, before any are merged
    merge     patches that become one token in each direction (``spatial_merge_size``; 2 in Qwen)
    interval  steps of time from frame to frame; a fraction counts, but each frame is rounded down.
              Qwen2-VL: 1; Qwen2.5-VL: ``tokens_per_second * second_per_grid_ts``

    Raises ClockhandsError for sizes below 1, that can't be merged, and time that runs backwards.

    >>> Grid(1, 4, 6, merge=2).tokens
    6
    """

    frames: int
    rows: int
    columns: int
    merge: int = 1
    interval: float = 1.0

    def __post_init__(self) -> None:
        for name in ("frames", "rows", "columns", "merge"):
            require_whole(getattr(self, name), name, least=1)
        if not isinstance(self.interval, Real) or not self.interval >= 0 or not isfinite(self.interval):
            raise ClockhandsError(
                f"interval is {shown(self.interval)}, but time stands or runs forwards: give 0 or more steps",
                f"interval 为 {shown(self.interval)}，但时间只能停住或向前：请给出不小于 0 的步数",
            )
        if self.rows % self.merge or self.columns % self.merge:
            raise ClockhandsError(
                f"{self.rows} rows and {self.columns} columns can't be merged by {self.merge}: "
                "give multiples of it",
                f"{self.rows} 行 {self.columns} 列不能按 {self.merge} 合并：请给出它的倍数",
            )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Frames, rows and columns of tokens, after merging."""
        return self.frames, self.rows // self.merge, self.columns // self.merge

    @property
    def tokens(self) -> int:
        """How many tokens it takes."""
        frames, rows, columns = self.shape
        return frames * rows * columns

    def by_frame(self, stamps: int | Sequence[int]) -> tuple[int | Grid, ...]:
        """The parts of a video whose times are written as text before each frame, as in Qwen3-VL.

        stamps  text tokens before each frame: one number for all, or one for each

        >>> Grid(2, 1, 3).by_frame(4)
        (4, Grid(frames=1, rows=1, columns=3, merge=1, interval=1.0), \
4, Grid(frames=1, rows=1, columns=3, merge=1, interval=1.0))
        """
        before = [stamps] * self.frames if isinstance(stamps, int) else list(listed(stamps, "stamps"))
        if len(before) != self.frames:
            raise ClockhandsError(
                f"{len(before)} time stamps for {self.frames} frames: give one for each",
                f"{self.frames} 帧有 {len(before)} 个时间戳：请一一对应",
            )
        return tuple(part for stamp in before for part in (stamp, replace(self, frames=1)))


Part = int | Grid
"""So many tokens of text, or an image or video."""

_KINDS = (0, 1, 2)  # text, image, video


def from_parts(parts: Sequence[Part], *, start: int = 0, like: Array | None = None) -> Array:
    """Positions ``(t, 3)`` of a row made of text, images and videos: time, row, column; integers.

    parts  an int is so many tokens of text, a ``Grid`` an image or video, in the order of the row
    start  position of the first token
    like   an array whose library and device to use; numpy by default

    transformers 5.24.0 goes on at ``start of the picture + max(rows, columns)`` and so forgets time: after a
    video of more frames than that, text stands inside the video. Here it comes after it, as in the paper.

    >>> from_parts([2, Grid(1, 2, 2), 1]).tolist()
    [[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3], [4, 4, 4]]
    """
    require_whole(start, "start")
    xp = namespace_of(like)
    placed: list[Array] = []
    at = start
    for part in listed(parts, "parts"):
        if isinstance(part, Grid):
            laid = from_grid(*part.shape, like=like)
            ahead = int(part.interval * (part.frames - 1))
            times = xp.astype(xp.floor(xp.astype(laid[:, 0], xp.float64) * part.interval), xp.int64)
            placed.append(at + xp.stack([times, laid[:, 1], laid[:, 2]], axis=-1))
            at += 1 + max(ahead, part.shape[1] - 1, part.shape[2] - 1)
        else:
            require_whole(part, "a part that is no Grid")
            line = xp.arange(at, at + part, dtype=xp.int64, device=device_of(like))
            placed.append(xp.broadcast_to(line[:, None], (part, 3)))
            at += part
    return xp.concat(placed) if placed else xp.zeros((0, 3), dtype=xp.int64, device=device_of(like))


def parts_of(types: Sequence[int] | Array, images: Iterator[Grid], videos: Iterator[Grid]) -> list[Part]:
    """What a row is made of, from the type of each token: 0 text, 1 image, 2 video (``mm_token_type_ids``).

    images, videos  iterators over the grids in the order in which they come: this row takes its own from them

    Pictures may follow one another without text between them. Raises ClockhandsError where tokens and grids
    don't fit.

    >>> parts_of([0, 0, 1, 1, 0], iter([Grid(1, 1, 2)]), iter([]))
    [2, Grid(frames=1, rows=1, columns=2, merge=1, interval=1.0), 1]
    """
    kinds = _on_host(whole_row(types, "types")).tolist()
    images, videos = iter(listed(images, "images")), iter(listed(videos, "videos"))
    other = next((kind for kind in kinds if kind not in _KINDS), None)
    if other is not None:
        raise ClockhandsError(
            f"types hold {other}, but each must be 0 for text, 1 for an image or 2 for a video: change it",
            f"types 中有 {other}，但只能是 0（文本）、1（图像）或 2（视频）：请改正",
        )
    parts: list[Part] = []
    at = 0
    while at < len(kinds):
        kind = kinds[at]
        run = next((slot for slot in range(at, len(kinds)) if kinds[slot] != kind), len(kinds)) - at
        if kind == 0:
            parts.append(run)
            at += run
            continue
        grid = next(images if kind == 1 else videos, None)
        if not isinstance(grid, Grid | None):
            raise ClockhandsError(
                f"the grids hold {shown(grid)}, but each must be a Grid: use Grid(frames, rows, columns)",
                f"网格里有 {shown(grid)}，但每个都必须是 Grid：请用 Grid(frames, rows, columns) 建立",
            )
        if grid is None or grid.tokens > run:
            wanted = "no grid" if grid is None else f"a grid of {grid.tokens}"
            needed = "没有对应的网格" if grid is None else f"网格要 {grid.tokens} 个"
            raise ClockhandsError(
                f"slots {at} to {at + run - 1} hold {run} tokens of a picture, and there is {wanted}: "
                "give one grid for each picture, with its merge",
                f"第 {at} 到 {at + run - 1} 格有 {run} 个图像词元，而{needed}：请为每幅图给出网格和合并数",
            )
        parts.append(grid)
        at += grid.tokens
    return parts


def from_token_types(
    types: Array, images: Sequence[Grid] = (), videos: Sequence[Grid] = (), *, valid: Array | None = None
) -> Array:
    """Positions ``(b, t, 3)`` of rows whose tokens say what they are; integers.

    types   (b, t) integers: 0 text, 1 image, 2 video, as processors of transformers give them
    images, videos  the grids of all rows, in reading order. Where frames of a video have text between them
            (Qwen3-VL), give a grid of one frame for each
    valid   (b, t), False or 0 for padding, which is left out and gets position 0

    Raises ClockhandsError where tokens and grids don't fit, or grids are left over.

    >>> from_token_types(np.asarray([[0, 1, 1, 0]]), [Grid(1, 1, 2)]).tolist()
    [[[0, 0, 0], [1, 1, 1], [1, 1, 2], [3, 3, 3]]]
    """
    types = whole_array(types, "types", axes=2)
    xp = namespace_of(types)
    kinds = _on_host(types)
    real = np.ones(kinds.shape, bool) if valid is None else _on_host(as_array(valid, "valid")) != 0
    if kinds.ndim != 2 or real.shape != kinds.shape:
        raise ClockhandsError(
            f"types have shape {kinds.shape} and valid {real.shape}, but both must be (b, t): give them so",
            f"types 的形状是 {kinds.shape}，valid 的是 {real.shape}，但两者都应为 (b, t)：请照此给出",
        )
    of_images, of_videos = iter(listed(images, "images")), iter(listed(videos, "videos"))
    placed = np.zeros((*kinds.shape, 3), np.int64)
    for row, (kind, known) in enumerate(zip(kinds, real, strict=True)):
        placed[row, known] = from_parts(parts_of(kind[known], of_images, of_videos))
    left = len([*of_images, *of_videos])
    if left:
        raise ClockhandsError(
            f"{left} grid(s) have no tokens: give as many grids as the rows have pictures",
            f"有 {left} 个网格没有对应的词元：请让网格数与图像数一致",
        )
    return xp.asarray(placed, device=device_of(types))


def _on_host(array: Array) -> NDArray[Any]:
    return np.asarray(array.tolist() if hasattr(array, "tolist") else np.from_dlpack(array))


def after_parts(positions: Array, length: int) -> Array:
    """The next ``length`` positions of text, the same on all axes; ``(..., length, axes)`` integers.

    positions  (..., t, axes) of all tokens seen so far: the row goes on after the largest of any axis, which
               after a picture is neither that of the last token nor the number of tokens. (The difference to
               the latter is what transformers keeps as ``rope_deltas``.)

    >>> after_parts(from_parts([2, Grid(1, 3, 2)]), 2).tolist()
    [[5, 5, 5], [6, 6, 6]]
    """
    positions = whole_array(positions, "positions", axes=2)
    require_whole(length, "length")
    if 0 in positions.shape[-2:]:
        raise ClockhandsError(
            "positions are empty, so nothing can follow them: use from_parts([length])",
            "positions 是空的，后面无从接起：请用 from_parts([length])",
        )
    xp = namespace_of(positions)
    last = xp.max(positions, axis=(-2, -1), keepdims=True)
    steps = xp.arange(1, length + 1, dtype=xp.int64, device=device_of(positions))
    return xp.broadcast_to(last + steps[:, None], (*positions.shape[:-2], length, positions.shape[-1]))
