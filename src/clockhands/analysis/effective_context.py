"""How far any distance bias lets a head see: the windows of its weights where the content says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import TOKENS, head_axis
from clockhands.analysis.bias import BiasFunction, Windows, bias_curves, windows
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text


@dataclass(frozen=True)
class EffectiveContext:
    """Windows as ALiBi's, of any bias over a past of ``length`` tokens, and the weights themselves.

    ``windows``  ``half_life`` is here the first distance from which weights stay at or below half of the
                 largest, infinite where the past ends first; what isn't known past ``length`` is not counted
    ``weights``  ``(num_heads, length)``: softmax of the bias over the distances 0 .. length-1
    """

    windows: Windows
    weights: Labelled


def effective_context(bias: BiasFunction, length: int) -> EffectiveContext:
    """Windows of each head of ``bias`` for a query with ``length`` keys behind it, itself counted.

    The window that holds 99 % of a flat bias is 99 % of any length: a window that grows with ``length`` is
    no window.

    >>> seen = effective_context(lambda distance: -0.5 * distance[None], 1000).windows
    >>> seen.holds_99.values.tolist(), seen.half_life.values.tolist()
    ([10.0], [2.0])
    """
    length = inputs.count(length, Text("the length", "长度"))
    curves = bias_curves(bias, np.arange(length))
    logits = np.asarray(curves.values, dtype=np.float64)
    top = logits.max(axis=1, keepdims=True)
    if np.isnan(logits).any() or not np.isfinite(top).all():
        raise ClockhandsError(
            "a head sees nothing, or its bias is not a number: each head needs one finite distance",
            "有的头什么也看不到，或者偏置不是数：每个头至少要有一个距离的偏置是有限值",
        )
    heads, weights = (head_axis(len(logits)),), logits  # in their place: they may be millions a head
    last, entropy = np.empty(len(weights)), np.empty(len(weights))
    held_95, held_99 = np.empty(len(weights)), np.empty(len(weights))
    for head, row in enumerate(weights):
        np.exp(np.subtract(row, top[head], out=row), out=row)
        row /= row.sum()
        last[head] = length - (row > row.max() / 2)[::-1].argmax()
        entropy[head] = -(row * np.log(np.where(row > 0, row, 1.0))).sum()
        held = row.cumsum()
        held_95[head], held_99[head] = _window(held, 0.95), _window(held, 0.99)

    def of_heads(id: str, name: Text, values: Floats, unit: Text = TOKENS) -> Labelled:
        return Labelled(id, name, values, heads, unit)

    seen = Windows(
        of_heads("half_life", Text("half-life", "半衰距离"), np.where(last < length, last, np.inf)),
        of_heads("holds_95", Text("window of 95 %", "95 % 窗口"), held_95),
        of_heads("holds_99", Text("window of 99 %", "99 % 窗口"), held_99),
        of_heads("mean_distance", Text("mean distance", "平均距离"), weights @ np.arange(length)),
        of_heads("effective_keys", Text("effective keys", "有效键数"), np.exp(entropy), Text("keys", "个键")),
    )
    name = Text("weight by distance", "各距离上的权重")
    return EffectiveContext(seen, Labelled("weights", name, weights, curves.axes))


def widened_window(slopes: ArrayLike, score_range: float) -> Labelled:
    """ALiBi's 99 % window where content may move scores by ``score_range`` either way, ``(num_heads,)``.

    ``(ln 100 + 2 R) / slope``, tokens: content at most multiplies a weight by ``e^{2 R}`` against the others.

    >>> widened_window([0.5], 0.0).values.tolist(), widened_window([0.5], 5.0).values.tolist()
    ([10.0], [30.0])
    """
    narrow = windows(slopes).holds_99
    if not 0 <= score_range < np.inf:
        raise ClockhandsError(
            f"score_range is {score_range}: give a number from 0 on, logits",
            f"得分范围 score_range 为 {score_range}：请给 0 或更大的数",
        )
    slope = inputs.numbers(slopes, Text("slopes", "斜率"))
    values = np.ceil((np.log(100) + 2 * score_range) / slope)
    return Labelled(
        "widened", Text("widened window of 99 %", "变宽的 99 % 窗口"), values, narrow.axes, TOKENS
    )


def _window(held: Floats, share: float) -> int:
    """The smallest number of keys, nearest first, that hold ``share`` of one head's weight."""
    return int(np.count_nonzero(held < share - 1e-12)) + 1
