"""Stories of tokens that get the position of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.axes import TOKENS
from clockhands.analysis.labelled import Axis
from clockhands.check.outputs.stories.kinds.curves import Curve, curves
from clockhands.check.outputs.stories.story import MEANT, RIGHT, USED, WRONG, Story
from clockhands.language import Text
from clockhands.positions import from_lengths, from_mask, from_offset

SLOT, POSITION = Text("slot", "序号"), Text("position", "位置")
ROWS = 16


def places(says: Text, meant: ArrayLike, used: ArrayLike) -> Story:
    """Rings where tokens are, dots where they are taken to be, nothing for padding (NaN).

    ``says`` takes how many differ as ``{count}``, of ``{of}``.
    """
    right, wrong = np.asarray(meant, np.float64), np.asarray(used, np.float64)
    count = int(((right != wrong) & ~np.isnan(right)).sum())
    filled = says.filled(count=count, of=len(right))
    drawn = [Curve(MEANT, right, RIGHT, "rings"), Curve(USED, wrong, WRONG, "dots")]
    return curves(filled, Axis(SLOT, np.arange(len(right))), POSITION, drawn, unit=TOKENS)


def restarted() -> Story:
    """CH120: positions after a prompt against 0 for each."""
    prompt, decoded = from_offset(0, 9), from_offset(9, 6)
    return places(
        Text(
            "A prompt of 9 tokens, then 6 decoded one by one: each of the {count} sits at position 0.",
            "先读 9 个词元的提示，再逐个解码 6 个：这 {count} 个都落在位置 0。",
        ),
        np.concatenate([prompt, decoded]),
        np.concatenate([prompt, *(from_offset(0, 1) for _ in decoded)]),
    )


def one_further() -> Story:
    """CH121: positions after a prompt against the same one further."""
    prompt = from_offset(0, 9)
    return places(
        Text(
            "After a prompt of 9 tokens the next is at position 9, not 10: {count} tokens are one too far.",
            "9 个词元的提示之后，下一个位置是 9 而不是 10：有 {count} 个词元多了一位。",
        ),
        np.concatenate([prompt, from_offset(9, 6)]),
        np.concatenate([prompt, from_offset(10, 6)]),
    )


def first_row() -> Story:
    """A row of 6 tokens behind 4 of padding gets the positions of a full row."""
    mask = np.array([0] * 4 + [1] * 6, bool)
    own, shared = from_mask(mask), from_offset(0, len(mask))
    return places(
        Text(
            "A row of 6 tokens behind 4 of padding, with the positions of a full row: {count} "
            "of its tokens are 4 too far.",
            "一行 6 个词元，前面有 4 个填充，却用了满行的位置：{count} 个词元都多了 4。",
        ),
        np.where(mask, own, np.nan),
        np.where(mask, shared, np.nan),
    )


def packed() -> Story:
    """CH123: positions that start anew with each document against those that count on."""
    lengths = [5, 4, 6]
    return places(
        Text(
            "Three documents of 5, 4 and 6 tokens in one row: {count} of {of} positions count "
            "on where they should start anew.",
            "一行里有三篇文档，长 5、4、6：{of} 个位置中有 {count} 个没有从头数起。",
        ),
        from_lengths(lengths),
        from_offset(0, sum(lengths)),
    )


def in_chunks() -> Story:
    """CH124: positions of three chunks against those that forget the first."""
    chunks = [1, 3, 8]
    starts = [0, *chunks[:-1]]
    return places(
        Text(
            "Chunks of 1, 3 and 8 tokens; the third starts at the length of the chunk before "
            "it, not after all: {count} of {of} positions are wrong.",
            "分成 1、3、8 个词元三段；第三段从上一段的长度数起，而不是接在全部之后：{of} "
            "个位置中有 {count} 个是错的。",
        ),
        from_offset(0, sum(chunks)),
        np.concatenate([from_offset(start, length) for start, length in zip(starts, chunks, strict=True)]),
    )


def past_table_raises() -> Story:
    """CH132: positions against those that a table has."""
    at = from_offset(0, 22)
    return places(
        Text(
            f"A table of {ROWS} rows and 22 tokens: for the last {{count}} there is no row, so "
            "the call raises.",
            f"表有 {ROWS} 行，文本有 22 个词元：最后 {{count}} 个没有对应的行，调用抛出异常。",
        ),
        at,
        np.where(at < ROWS, at, np.nan),
    )


def past_table_still() -> Story:
    """CH133: positions against 0 past the end of a table."""
    at = from_offset(0, 22)
    return places(
        Text(
            f"A table of {ROWS} rows and 22 tokens: the last {{count}} are not turned, as if at position 0.",
            f"表有 {ROWS} 行，文本有 22 个词元：最后 {{count}} 个没有转动，如同在位置 0。",
        ),
        at,
        np.where(at < ROWS, at, 0),
    )


def past_table_clamped() -> Story:
    """CH134: positions against the last row past the end of a table."""
    at = from_offset(0, 22)
    return places(
        Text(
            f"A table of {ROWS} rows and 22 tokens: the last {{count}} all share position {ROWS - 1}.",
            f"表有 {ROWS} 行，文本有 22 个词元：最后 {{count}} 个都挤在位置 {ROWS - 1}。",
        ),
        at,
        np.minimum(at, ROWS - 1),
    )
