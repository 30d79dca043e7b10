"""What a distance bias does: curves and maps per head, and the window that it leaves open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import inputs
from clockhands.analysis.axes import LOGITS, TOKENS, distance_axis, head_axis, position_axis
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.formulas.buckets import t5_thresholds
from clockhands.language import Text
from clockhands.memory import require_memory

BiasFunction: TypeAlias = Callable[[NDArray[np.int64]], NDArray[Any]]
"""Distances of any shape, tokens (query minus key position), to ``(num_heads, *shape)``, logits."""

NAME = Text("bias", "偏置")


def bias_curves(bias: BiasFunction, distances: ArrayLike) -> Labelled:
    """The bias of each head at ``distances``, ``(n,)``. Returns ``(num_heads, n)`` float64, logits.

    >>> bias_curves(lambda distance: -0.5 * np.abs(distance)[None], [-1, 0, 2]).values.tolist()
    [[-0.5, -0.0, -1.0]]
    """
    distance = inputs.places(distances).astype(np.int64)
    values = _asked(bias, distance)
    return Labelled("bias", NAME, values, (head_axis(len(values)), distance_axis(distance)), LOGITS)


def bias_map(bias: BiasFunction, num_queries: int, num_keys: int | None = None) -> Labelled:
    """The bias of each head for each query and key, ``(num_heads, num_queries, num_keys)`` float64, logits.

    The last query and the last key stand at one position, as with a cache; ``num_keys`` is ``num_queries``
    if not given. The function is asked once for each distance, not once for each cell.

    >>> bias_map(lambda distance: -1.0 * np.abs(distance)[None], 2).values.tolist()
    [[[-0.0, -1.0], [-1.0, -0.0]]]
    """
    queries = inputs.count(num_queries, Text("the number of queries", "查询数"))
    keys = inputs.count(queries if num_keys is None else num_keys, Text("the number of keys", "键数"))
    first = keys - queries
    curve = _asked(bias, np.arange(first - keys + 1, keys))
    require_memory(Text("a bias map", "偏置图"), (len(curve), queries, keys))
    windows = np.lib.stride_tricks.sliding_window_view(curve, keys, axis=1)
    axes = (
        head_axis(len(curve)),
        position_axis(np.arange(first, keys), Text("query position", "查询位置")),
        position_axis(np.arange(keys), Text("key position", "键位置")),
    )
    return Labelled("bias_map", NAME, np.ascontiguousarray(windows[..., ::-1]), axes, LOGITS)


@dataclass(frozen=True)
class Windows:
    """How far each head sees if the bias alone decides, each ``(num_heads,)``, in tokens.

    Weights then fall as ``e^{-slope * distance}`` over an endless past.

    ``half_life``       distance at which a weight has halved
    ``holds_95``        smallest window that holds 95 % of the weight
    ``holds_99``        smallest window that holds 99 %
    ``mean_distance``   average distance looked at
    ``effective_keys``  exponential of the entropy: how many keys share the attention
    """

    half_life: Labelled
    holds_95: Labelled
    holds_99: Labelled
    mean_distance: Labelled
    effective_keys: Labelled


def windows(slopes: ArrayLike) -> Windows:
    """The windows of ALiBi heads (Press et al. 2022) from their ``slopes``, ``(num_heads,)``, logits / token.

    >>> seen = windows([0.5, 0.25])
    >>> seen.holds_99.values.tolist(), seen.half_life.values.round(2).tolist()
    ([10.0, 19.0], [1.39, 2.77])
    """
    slope = inputs.numbers(slopes, Text("slopes", "斜率"))
    if slope.ndim != 1 or slope.size == 0 or not (np.isfinite(slope) & (slope > 0)).all():
        raise ClockhandsError(
            f"slopes {slopes} leave no window: give one positive number per head",
            f"斜率 {slopes} 得不出窗口：请每个注意力头给一个正数",
        )
    mean = 1 / np.expm1(slope)
    entropy = slope * mean - np.log(-np.expm1(-slope))

    def of_heads(id: str, name: Text, values: Floats, unit: Text = TOKENS) -> Labelled:
        return Labelled(id, name, values, (head_axis(len(slope)),), unit)

    return Windows(
        of_heads("half_life", Text("half-life", "半衰距离"), np.log(2) / slope),
        of_heads("holds_95", Text("window of 95 %", "95 % 窗口"), np.ceil(np.log(20) / slope)),
        of_heads("holds_99", Text("window of 99 %", "99 % 窗口"), np.ceil(np.log(100) / slope)),
        of_heads("mean_distance", Text("mean distance", "平均距离"), mean),
        of_heads("effective_keys", Text("effective keys", "有效键数"), np.exp(entropy), Text("keys", "个键")),
    )


def bucket_edges(num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = False) -> Labelled:
    """The nearest distance in each of T5's buckets (Raffel et al. 2020), ``(num_buckets,)`` float64, tokens.

    Distances to future keys are negative. A bucket that no distance falls into is NaN: with
    ``bidirectional`` the one for "future, distance 0".

    >>> bucket_edges(8, 16).values.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]
    """
    buckets_name = Text("the number of buckets", "桶数")
    num_buckets = inputs.count(num_buckets, buckets_name, least=4 if bidirectional else 2)
    exact = num_buckets // (4 if bidirectional else 2)
    max_distance = inputs.count(max_distance, Text("the largest distance", "最大距离"), least=exact + 1)
    begin = np.array([*range(exact + 1), *t5_thresholds(num_buckets, max_distance, bidirectional)])
    empty = np.append(begin[:-1] == begin[1:], False)  # the next bucket begins at the same distance
    one_way = np.where(empty, np.nan, begin)
    nearest = np.full(num_buckets, np.nan)
    nearest[: len(one_way)] = one_way
    if bidirectional:
        nearest[len(one_way) + 1 : 2 * len(one_way)] = -one_way[1:]
    axis = Axis(Text("bucket", "桶"), np.arange(num_buckets))
    name = Text("nearest distance in the bucket", "桶内最近距离")
    return Labelled("bucket_edges", name, nearest, (axis,), TOKENS)


def _asked(bias: BiasFunction, distance: NDArray[np.int64]) -> Floats:
    values = inputs.numbers(bias(distance), NAME)
    if values.ndim != 2 or values.shape[1:] != distance.shape:
        raise ClockhandsError(
            f"the bias of {len(distance)} distances has shape {values.shape}: give (heads, {len(distance)})",
            f"{len(distance)} 个距离的偏置形状是 {values.shape}：应返回（头数，{len(distance)}）",
        )
    return values
