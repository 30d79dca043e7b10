"""A map taken apart: what position alone would give, what content alone gives, and what takes both.

Position alone: every token has the mean query and the mean key of the text, and only where they stand
differs.
Content alone: tokens as they are, and none is turned or has anything added. What takes both is the map less
what the two scores together give. Where position came in with the embeddings, as learned tables do, attention
can't tell it apart: the mean score at each distance then stands for position, and it is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.attention_call import Call, Whole

Floats: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Turning:
    """How a layer turns queries and keys.

    inv_freq  ``(pairs,)`` rad / token; pairs: ``(pairs, 2)`` dimensions of each hand, in that order
    """

    inv_freq: Floats
    pairs: Whole


def turning(
    inv_freq: Floats, head_dim: int, layout: Literal["half", "interleaved"] = "half", *, at_end: bool = False
) -> Turning:
    """Hands over the first dimensions of a head, or the last ones.

    >>> turning(np.ones(2), 6, "half").pairs.tolist()
    [[0, 2], [1, 3]]
    """
    count = len(inv_freq)
    places = np.arange(2 * count) + (head_dim - 2 * count if at_end else 0)
    pairs = places.reshape(2, count).T if layout == "half" else places.reshape(count, 2)
    return Turning(np.asarray(inv_freq, dtype=np.float64), pairs)


@dataclass(frozen=True)
class Parts:
    """One head's map in parts, ``(queries, keys)`` each.

    whole     the weights
    position  what position alone would give, content: what content alone gives; rows of both sum to 1
    rest      the weights less what the two scores together give: signed, rows sum to 0
    by_position, by_content   squared correlation, within rows, of the scores with either alone: 0 to 1
    estimated whether position is the mean score by distance, for want of anything that attention turns or
    adds
    """

    whole: Floats
    position: Floats
    content: Floats
    rest: Floats
    by_position: float
    by_content: float
    estimated: bool


def unturned(x: Floats, positions: Whole, how: Turning) -> Floats:
    """Heads ``(t, hd)`` turned back by their positions ``(t,)``."""
    a, b = how.pairs.T
    angle = positions[:, None] * how.inv_freq
    cos, sin = np.cos(angle), np.sin(angle)
    made = np.array(x, dtype=np.float64)
    made[:, a], made[:, b] = x[:, a] * cos + x[:, b] * sin, x[:, b] * cos - x[:, a] * sin
    return made


def parts(call: Call, head: int, how: Turning | None, rows: Whole | slice = slice(None)) -> Parts:
    """The map of one head in parts.

    how   the layer's turning; None where it turns nothing
    rows  of the kept queries
    """
    n, queries = call.place(head), call.queries[rows]
    q, k = call.q[n, rows].astype(np.float64), call.k[call.shared[n]].astype(np.float64)
    seen, scores = call.sees.rows(queries), call.logits(head, rows).astype(np.float64)
    keys = np.arange(call.keys)
    estimated = how is None and call.adds is None
    added = np.zeros((1, 1)) if call.adds is None else call.adds.rows(head, queries)
    if estimated:
        position = _by_distance(scores, seen, queries)
        content = np.where(seen, scores, 0.0) - position
    else:
        if how is not None:
            q, k = unturned(q, queries, how), unturned(k, keys, how)
        position = call.scale * _of_means(q.mean(0), k[seen.any(0)].mean(0), queries, keys, how) + added
        content = call.scale * (q @ k.T)
    whole, alone, bare = (_softmax(each, seen) for each in (scores, position, content))
    together = _softmax(position + content, seen)
    return Parts(
        whole, alone, bare, whole - together, _alike(scores, position, seen), _alike(scores, content, seen),
        estimated,
    )  # fmt: skip


def _of_means(q: Floats, k: Floats, queries: Whole, keys: Whole, how: Turning | None) -> Floats:
    """``(queries, keys)`` scores of one query and one key at all places, up to a constant."""
    if how is None:
        return np.zeros((len(queries), len(keys)))
    a, b = how.pairs.T
    along = q[a] * k[a] + q[b] * k[b]
    across = q[b] * k[a] - q[a] * k[b]
    farthest = int(max(queries.max(), keys.max()))
    angle = np.arange(-farthest, farthest + 1)[:, None] * how.inv_freq
    line = np.cos(angle) @ along - np.sin(angle) @ across
    return line[queries[:, None] - keys + farthest]


def _by_distance(scores: Floats, seen: NDArray[np.bool_], queries: Whole) -> Floats:
    """The mean, over queries, of the scores at each distance, less the mean of their row."""
    centred = _centred(scores, seen)
    place: Floats = np.subtract.outer(queries, np.arange(int(scores.shape[1]))) + scores.shape[1]
    sums = np.bincount(place[seen], centred[seen], minlength=int(place.max()) + 1)
    counts = np.bincount(place[seen], minlength=int(place.max()) + 1)
    return (sums / np.maximum(counts, 1))[place]


def _centred(scores: Floats, seen: NDArray[np.bool_]) -> Floats:
    """Each row less its mean over what is seen; 0 where hidden. Softmax ignores what a row shares."""
    kept = np.where(seen, np.broadcast_to(scores, seen.shape), 0.0)
    return np.where(seen, kept - kept.sum(1, keepdims=True) / np.maximum(seen.sum(1, keepdims=True), 1), 0.0)


def _alike(scores: Floats, other: Floats, seen: NDArray[np.bool_]) -> float:
    x, y = _centred(scores, seen), _centred(other, seen)
    over = float((x * x).sum() * (y * y).sum())
    # Scores that are all alike correlate with nothing; what rounding leaves of them doesn't count.
    if (y * y).sum() <= 1e-12 * max(1.0, (x * x).sum()) or over == 0:
        return 0.0
    return float((x * y).sum()) ** 2 / over


def _softmax(scores: Floats, seen: NDArray[np.bool_]) -> Floats:
    kept = np.where(seen, np.broadcast_to(scores, seen.shape), -np.inf)
    most = kept.max(1, keepdims=True)
    raised = np.exp(kept - np.where(np.isfinite(most), most, 0.0))
    return raised / np.maximum(raised.sum(1, keepdims=True), 1e-300)


def pair_shares(call: Call, head: int, how: Turning, rows: Whole | slice = slice(None)) -> Floats:
    """``(pairs + 1,)`` what each hand brings of what varies in a row of scores; last, what doesn't turn.

    The covariance, within rows, of a hand's scores with all of them, over their variance: the shares sum to
    1,
    and a hand that works against the others has a share below 0.
    """
    n, queries = call.place(head), call.queries[rows]
    q, k = call.q[n, rows], call.k[call.shared[n]]
    seen = call.sees.rows(queries)
    total = _centred(q @ k.T, seen)
    over = float((total * total).sum())
    if over == 0:
        return np.full(len(how.pairs) + 1, np.nan)
    a, b = how.pairs.T
    # The covariance with a hand's scores needs no map of its own: total summed against its two dimensions.
    mixed = q.T @ total @ k  # (hd, hd): what dimension x of q and y of k together bring
    each = mixed[a, a] + mixed[b, b]
    still = float(np.trace(mixed)) - float(each.sum())
    return np.append(each, still) / over
