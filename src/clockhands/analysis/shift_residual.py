"""Does moving all positions change the scores? Asked of any function from positions to scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import inputs
from clockhands.analysis.axes import TOKENS
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text

Scores: TypeAlias = Callable[[NDArray[np.int64]], NDArray[Any]]
"""Integer positions ``(n,)``, tokens, to scores of any fixed shape; NaN where nothing is seen."""


def shift_residual(scores: Scores, positions: ArrayLike, shifts: ArrayLike, unit: Text = NOTHING) -> Labelled:
    """``max |scores(positions + shift) - scores(positions)|`` for each shift, ``(shifts,)`` float64.

    0, rounding aside, for everything relative; infinite where a cell is seen before and not after, or the
    other way round. ``positions``, ``shifts``: ``(n,)``, tokens. ``unit`` is that of the scores.

    >>> by_halves = lambda positions: positions[:, None] // 2 - positions // 2
    >>> shift_residual(by_halves, [0, 1, 2], [1, 2]).values.tolist()
    [1.0, 0.0]
    """
    places = inputs.places(positions).astype(np.int64)
    moves = inputs.places(shifts).astype(np.int64)
    before = _asked(scores, places)
    found = np.empty(len(moves))
    for index, move in enumerate(moves):
        after = _asked(scores, places + move)
        if after.shape != before.shape:
            raise ClockhandsError(
                f"scores have shape {before.shape}, and {after.shape} after a shift: keep one shape",
                f"得分的形状是 {before.shape}，平移后是 {after.shape}：形状应保持不变",
            )
        differ = ~(np.equal(after, before) | (np.isnan(after) & np.isnan(before)))
        gap = np.abs(after[differ] - before[differ])
        found[index] = np.where(np.isnan(gap), np.inf, gap).max(initial=0.0)
    name = Text("change of a score", "得分的变化")
    return Labelled("shift_residual", name, found, (Axis(Text("shift", "平移"), moves, TOKENS),), unit)


def _asked(scores: Scores, positions: NDArray[np.int64]) -> Floats:
    return inputs.numbers(scores(positions), Text("the scores", "得分"))
