"""What each precision leaves of positions and angles, for one context length after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import RADIANS, TOKENS
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.precision import PRECISIONS, Precision, angle_error, distinct_positions
from clockhands.language import Text

_LAST = 512
"""Positions before each power of two or length whose angles are looked at: errors grow with position."""


@dataclass(frozen=True)
class PrecisionByLength:
    """Each ``(precisions, lengths)``, for the positions 0 .. length-1.

    ``distinct``  how many different numbers the positions are as stored, tokens
    ``angle``     the worst error of an angle, rad, among the last 512 positions before each power of two and
                  each length; infinite where a number overflows
    ``tip``       the worst error of a sine or cosine at these positions
    """

    distinct: Labelled
    angle: Labelled
    tip: Labelled


def precision_by_length(
    inv_freq: ArrayLike, lengths: Sequence[int], precisions: Sequence[Precision] = PRECISIONS
) -> PrecisionByLength:
    """Positions told apart and worst errors, by precision and length.

    ``inv_freq``: ``(pairs,)``, rad / token; ``lengths``: tokens.

    >>> found = precision_by_length([1.0], [256, 4096], ["bf16"])
    >>> found.distinct.values.tolist(), found.angle.values.tolist()
    ([[256.0, 769.0]], [[0.0, 8.0]])
    """
    speed = inputs.speeds(inv_freq)
    sizes = [inputs.count(length, Text("a length", "长度")) for length in lengths]
    axes = (
        Axis(Text("precision", "精度"), np.array([*precisions])),
        Axis(Text("length", "长度"), np.array(sizes), TOKENS),
    )
    shape = (len(precisions), len(sizes))
    distinct, angle, tip = np.empty(shape), np.empty(shape), np.empty(shape)
    for column, length in enumerate(sizes):
        ends = [2**k for k in range(length.bit_length()) if 2**k < length] + [length]
        places = np.array(sorted({place for end in ends for place in range(max(0, end - _LAST), end)}))
        for row, precision in enumerate(precisions):
            error = angle_error(speed, places, precision)
            distinct[row, column] = distinct_positions(length, precision).distinct
            angle[row, column] = error.angle.values.max()
            tip[row, column] = error.tip.values.max()
    return PrecisionByLength(
        Labelled("distinct", Text("positions told apart", "能区分的位置数"), distinct, axes, TOKENS),
        Labelled("angle", Text("worst angle error", "最大角度误差"), angle, axes, RADIANS),
        Labelled("tip", Text("worst error of sin and cos", "sin 与 cos 的最大误差"), tip, axes),
    )
