"""Where attention looks: statistics of weights by query, head and distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import inputs
from clockhands.analysis.axes import TOKENS, distance_axis, head_axis, position_axis
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text

NATS = Text("nats", "奈特")
SUM_TOLERANCE = 5e-3
"""How far a row may be from 1: what rounding to bf16 does, less than dropout or a missing mask does."""


@dataclass(frozen=True)
class AttentionStatistics:
    """Statistics of attention weights. Distance is query minus key position: positive is the past.

    ``entropy``        ``(b, h, q)``, nats: 0 looks at one key, ln(k) at all alike; NaN for padding
    ``mean_distance``  ``(b, h, q)``, tokens, of ``|distance|``; NaN for padding
    ``profile``        ``(b, h, distances)``: mean weight at each distance, over the queries that have
                       a key there; NaN where none has
    ``on_self``        ``(b, h)``: mean weight on the query's own token
    ``on_previous``    ``(b, h)``: mean weight on the token just before
    ``on_first``       ``(b, h)``: mean weight on the first token, over the queries after it; large for
                       an attention sink
    """

    entropy: Labelled
    mean_distance: Labelled
    profile: Labelled
    on_self: Labelled
    on_previous: Labelled
    on_first: Labelled


def attention_statistics(weights: ArrayLike, valid: ArrayLike | None = None) -> AttentionStatistics:
    """Statistics of ``weights``, ``(b, h, q, k)``; the last query and the last key are one token.

    ``valid``: ``(b, k)``, True for tokens, False for padding, which then counts neither as query nor as key.
    ClockhandsError if a row of a real token does not sum to 1, or a weight is negative or not finite.

    >>> looks_back = np.array([[[[1.0, 0.0], [0.75, 0.25]]]])
    >>> seen = attention_statistics(looks_back)
    >>> seen.mean_distance.values.tolist(), seen.on_previous.values.tolist()
    ([[[0.0, 0.75]]], [[0.75]])
    """
    given = inputs.numbers(weights, Text("the weights", "注意力权重"))
    if given.ndim != 4 or given.size == 0 or given.shape[2] > given.shape[3]:
        raise ClockhandsError(
            f"the weights have shape {given.shape}: "
            "give (batch, heads, queries, keys) with no more queries than keys",
            f"注意力权重的形状是 {given.shape}：应为（批，头，查询，键），且查询数不超过键数",
        )
    keys = _valid(valid, given)
    queries = keys[:, keys.shape[1] - given.shape[2] :]
    of_tokens = np.where((queries[:, :, None] & keys[:, None, :])[:, None], given, 0.0)
    _require_rows(of_tokens, queries)
    return _statistics(of_tokens, queries, keys)


def _statistics(w: Floats, queries: NDArray[np.bool_], keys: NDArray[np.bool_]) -> AttentionStatistics:
    b, h, q, k = (int(length) for length in w.shape)
    key = np.arange(k)
    query = key[k - q :]
    distance = query[:, None] - key
    padding = ~queries[:, None, :].repeat(h, axis=1)
    entropy = -(w * np.log(np.where(w > 0, w, 1.0))).sum(axis=-1)
    reach = (w * np.abs(distance)).sum(axis=-1)
    pairs = queries[:, :, None] & keys[:, None, :]
    is_first = key == keys.argmax(axis=1)[:, None, None]
    axes = (Axis(Text("batch", "批"), np.arange(b)), head_axis(h))
    of_queries = (*axes, position_axis(query, Text("query", "查询")))
    profile = _by_distance(w, pairs, distance)

    def share(id: str, name: Text, where: NDArray[np.bool_]) -> Labelled:
        return Labelled(id, name, _mean_where(w, pairs & where), axes)

    return AttentionStatistics(
        Labelled("entropy", Text("entropy", "熵"), np.where(padding, np.nan, entropy), of_queries, NATS),
        Labelled(
            "mean_distance",
            Text("mean distance", "平均距离"),
            np.where(padding, np.nan, reach),
            of_queries,
            TOKENS,
        ),
        Labelled(
            "profile",
            Text("mean weight by distance", "各距离上的平均权重"),
            profile,
            (*axes, distance_axis(np.arange(1 - q, k))),
        ),
        share("on_self", Text("weight on itself", "落在自身的权重"), distance == 0),
        share("on_previous", Text("weight on the previous token", "落在前一个词元的权重"), distance == 1),
        share("on_first", Text("weight on the first token", "落在首个词元的权重"), is_first & (distance > 0)),
    )


def _by_distance(w: Floats, pairs: NDArray[np.bool_], distance: NDArray[np.int64]) -> Floats:
    """Mean over the cells of each diagonal, ``(b, h, distances)``."""
    b, h, q, k = w.shape
    diagonal = (distance + q - 1).ravel()
    length = k + q - 1
    heads = w.reshape(b * h, q * k)
    sums = np.array([np.bincount(diagonal, head, length) for head in heads])
    counts = np.array([np.bincount(diagonal, pairs[i].ravel(), length) for i in range(b)])
    return sums.reshape(b, h, length) / np.where(counts == 0, np.nan, counts)[:, None]


def _mean_where(w: Floats, cells: NDArray[np.bool_]) -> Floats:
    """Mean over the chosen cells ``(b, q, k)`` of each head, ``(b, h)``; NaN where there are none."""
    count = cells.sum(axis=(1, 2))[:, None]
    return (w * cells[:, None]).sum(axis=(2, 3)) / np.where(count == 0, np.nan, count)


def _valid(valid: ArrayLike | None, weights: Floats) -> NDArray[np.bool_]:
    shape = (weights.shape[0], weights.shape[3])
    if valid is None:
        return np.ones(shape, dtype=bool)
    array = np.asarray(valid)
    if array.shape != shape or array.dtype != np.bool_:
        raise ClockhandsError(
            f"valid is {array.dtype} of shape {array.shape}: give one True or False a token, {shape}",
            f"valid 的类型是 {array.dtype}，形状是 {array.shape}："
            f"请给每个词元一个 True 或 False，形状 {shape}",
        )
    return array


def _require_rows(weights: Floats, queries: NDArray[np.bool_]) -> None:
    sums = np.where(queries[:, None, :], weights.sum(axis=-1), 1.0)
    bad = ~(np.abs(sums - 1) <= SUM_TOLERANCE) | (weights < 0).any(axis=-1)
    if bad.any():
        batch, head, query = (int(i) for i in np.argwhere(bad)[0])
        total = f"{sums[batch, head, query]:.4g}"
        raise ClockhandsError(
            f"the weights of query {query} (batch {batch}, head {head}) over real tokens sum to {total} "
            "or some are negative: give the weights after softmax and before dropout, padding masked",
            f"查询 {query}（批 {batch}，头 {head}）对非填充词元的权重之和为 {total}，或含负数："
            "请给 softmax 之后、dropout 之前、已屏蔽填充的权重",
        )
