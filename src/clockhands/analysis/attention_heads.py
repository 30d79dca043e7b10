"""What each head of a model does with position: how far it looks, and what it mostly looks at.

The scores are means of weights over queries; ``kind`` names the first that is large. The limits are
conventions of this package, chosen so that a head is named for where most of its weight goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.attention_call import Call, Whole
from clockhands.language import Text

Floats: TypeAlias = NDArray[Any]

SAMPLED = 192
"""Queries of a long text that are looked at, spread evenly."""

NEAR = 4
"""Tokens on either side that count as near."""

FARTHEST = 256
"""Distances of a profile, beside the token itself."""

KINDS: dict[str, Text] = {
    "induction": Text("induction", "归纳"),
    "previous": Text("previous token", "前一词元"),
    "next": Text("next token", "后一词元"),
    "itself": Text("itself", "自身"),
    "first": Text("first token", "首词元"),
    "local": Text("near tokens", "邻近词元"),
    "even": Text("evenly", "平均"),
    "content": Text("by content", "看内容"),
}
"""What heads are called, in the order in which they are asked."""

LIMITS = {
    "induction": 0.3, "previous": 0.35, "next": 0.35, "itself": 0.4, "first": 0.5, "local": 0.6, "even": 0.9,
}  # fmt: skip
"""From which value on a score names the head; of ``even`` it is entropy over that of equal weights."""


@dataclass(frozen=True)
class HeadScores:
    """What one head does on one text; weights are means over queries.

    first       on the first token that is no padding, of queries after it: large for an attention sink
    previous, next, itself   on the token before, after, and the query's own
    local       on tokens at most 4 away, of queries that see more than 8 tokens; NaN where none does
    induction   on the token after the one that was the same before, in a text that repeats; NaN if not
                measured
    entropy     nats, and ``evenness``: over that of equal weights on all that is seen, 0 to 1
    distance    mean of |query - key|, tokens
    profile     ``(distances,)`` mean weight at 0, 1, 2 … tokens back, NaN where no query has a key there
    """

    layer: int
    head: int
    first: float
    previous: float
    next: float
    itself: float
    local: float
    induction: float
    entropy: float
    evenness: float
    distance: float
    profile: Floats
    beside: bool = False
    """Whether the first token was left out, so that it names no head."""

    @property
    def kind(self) -> str:
        """A key of ``KINDS``."""
        names = [name for name in LIMITS if not (self.beside and name == "first")]
        scores = {**{name: getattr(self, name) for name in LIMITS if name != "even"}, "even": self.evenness}
        return next((name for name in names if scores[name] >= LIMITS[name]), "content")

    @property
    def strength(self) -> float:
        """How clearly it is of its kind: the score that named it; of ``content`` what is not even."""
        kind = self.kind
        return (
            1 - self.evenness
            if kind == "content"
            else self.evenness
            if kind == "even"
            else getattr(self, kind)
        )


def head_scores(
    call: Call, valid: NDArray[np.bool_] | None = None, *, skip_first: bool = False
) -> list[HeadScores]:
    """Scores of the heads of one call on the text itself.

    valid       ``(keys,)``, False for padding, which counts neither as query nor as key
    skip_first  what heads do beside the sink: the first token is left out as a query and as a key, and rows
                are
                made to sum to 1 again; ``first`` is then what it took
    """
    real = np.ones(call.keys, dtype=bool) if valid is None else valid
    chosen = sampled(call, real)
    queries = call.queries[chosen]
    distance = queries[:, None] - np.arange(call.keys)
    seen = call.sees.rows(queries) & real
    first = int(real.argmax())
    counts = seen.sum(1)
    made: list[HeadScores] = []
    for head in call.heads:
        weights = np.where(seen, call.weights(head, chosen), 0.0)
        one = _scores(call.layer, head, weights, seen, distance, counts, first)
        made.append(_beside_the_first(one, weights, seen, distance, first) if skip_first else one)
    return made


def _beside_the_first(
    one: HeadScores, w: Floats, seen: NDArray[np.bool_], distance: Whole, first: int
) -> HeadScores:
    rows: NDArray[np.bool_] = distance[:, first] > 0
    keys: Floats = np.not_equal(np.arange(int(w.shape[1])), first)
    rest = w[rows][:, keys]
    rest = rest / np.maximum(rest.sum(1, keepdims=True), 1e-12)
    seen, distance = seen[rows][:, keys], distance[rows][:, keys]
    made = _scores(one.layer, one.head, rest, seen, distance, seen.sum(1), int(seen.any(0).argmax()))
    return replace(made, first=0.0 if np.isnan(one.first) else one.first, beside=True)


def sampled(call: Call, valid: NDArray[np.bool_], most: int = SAMPLED) -> Whole:
    """Which of the kept queries to look at: all, or ``most`` of them spread evenly; none that is padding."""
    real = np.flatnonzero(valid[call.queries])
    return real[np.unique(np.linspace(0, len(real) - 1, min(most, len(real))).astype(np.int64))]


def _scores(
    layer: int, head: int, w: Floats, seen: NDArray[np.bool_], distance: Whole, counts: Floats, first: int
) -> HeadScores:
    entropy = -(w * np.log(np.where(w > 0, w, 1.0))).sum(1)
    several = counts > 1
    many = counts > 2 * NEAR
    after = distance[:, first] > 0
    even = entropy[several] / np.log(counts[several])
    by_distance = _by_distance(w, seen, distance)
    return HeadScores(
        layer=layer, head=head, first=_mean(w[after, first]),
        previous=by_distance[2], next=by_distance[0], itself=by_distance[1],
        local=_mean(np.where(np.abs(distance) <= NEAR, w, 0.0).sum(1)[many]), induction=float("nan"),
        entropy=_mean(entropy), evenness=_mean(even), distance=_mean((w * np.abs(distance)).sum(1)),
        profile=np.array(by_distance[1 : min(FARTHEST + 1, w.shape[1]) + 1]),
    )  # fmt: skip


def _by_distance(w: Floats, seen: NDArray[np.bool_], distance: Whole) -> list[float]:
    """Mean weight at the distances -1, 0, 1 … ``FARTHEST``, each over queries that see more than themselves
    and a key there; NaN where none does.
    """
    near = (distance >= -1) & (distance <= FARTHEST)
    cells = near & seen & (seen.sum(1) > 1)[:, None]
    place = distance[cells] + 1
    sums = np.bincount(place, w[cells], minlength=FARTHEST + 2)
    counts = np.bincount(place, minlength=FARTHEST + 2)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means.tolist()


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else float("nan")


def repeated(call: Call, length: int) -> Floats:
    """Induction of each head on a text that says the same ``length`` tokens twice: ``(heads,)``.

    Mean weight, of the queries of the second time but its first, on the token after the one that was the same
    (Olsson et al. 2022): ``length - 1`` tokens back.
    """
    second = np.flatnonzero(call.queries >= call.count - length + 1)
    keys = call.queries[second] - (length - 1)
    return np.array(
        [float(call.weights(head, second)[np.arange(len(second)), keys].mean()) for head in call.heads]
    )


def ranked(scores: Sequence[HeadScores]) -> list[HeadScores]:
    """Sorted by behaviour: by kind, and the clearest of each kind first."""
    order = list(KINDS)
    return sorted(scores, key=lambda each: (order.index(each.kind), -each.strength, each.layer, each.head))
