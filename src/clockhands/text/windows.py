"""Parts of long texts, and batches of short ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError


def parse_window(written: str) -> slice:
    """``"0:40"``, ``"40:"`` or ``":40"`` as a slice of whole numbers that holds at least one token.

    >>> parse_window("0:40")
    slice(0, 40, None)
    """
    start, colon, stop = str(written).strip().partition(":")
    try:
        window = slice(int(start) if start else 0, int(stop) if stop else None)
    except ValueError:
        colon = ""
        window = slice(0, 0)
    if not colon or window.start < 0 or (window.stop is not None and window.stop <= window.start):
        raise ClockhandsError(
            f"the window is '{written}': write START:END with 0 <= START < END, e.g. 0:40",
            f"窗口写作“{written}”：请写成 起点:终点，且 0 ≤ 起点 < 终点，例如 0:40",
        )
    return window


class Batch(NamedTuple):
    """ids ``(b, t)`` int64; valid ``(b, t)`` bool, False where a row is filled up with padding."""

    ids: NDArray[np.int64]
    valid: NDArray[np.bool_]


def padded(sequences: Sequence[Sequence[int]], pad: int = 0, length: int | None = None) -> Batch:
    """Sequences of different lengths as one batch, filled up at the end.

    length  tokens in a row; None: those of the longest sequence

    >>> padded([[5, 6], [7]]).ids.tolist(), padded([[5, 6], [7]]).valid.tolist()
    ([[5, 6], [7, 0]], [[True, True], [True, False]])
    """
    longest = max((len(sequence) for sequence in sequences), default=0)
    length = longest if length is None else length
    if longest > length:
        raise ClockhandsError(
            f"a sequence has {longest} tokens and a row holds {length}: cut it into windows first",
            f"有一个序列含 {longest} 个词元，而一行只能放 {length} 个：请先切成窗口",
        )
    ids = np.full((len(sequences), length), pad, dtype=np.int64)
    valid = np.zeros((len(sequences), length), dtype=np.bool_)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        valid[row, : len(sequence)] = True
    return Batch(ids, valid)


def cut(length: int, longest: int) -> list[slice]:
    """Windows of at most ``longest`` tokens that cover ``length`` tokens in order without overlap.

    >>> cut(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + longest, length)) for start in range(0, length, longest)]
