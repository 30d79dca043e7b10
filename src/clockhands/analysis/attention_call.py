"""One call of attention as a model made it, kept so small that maps of any length follow in windows.

Queries, keys and the log-sum-exp of each row are kept, never the map: a weight is ``exp(logit - lse)``, and a
logit is ``scale · <q_i, k_j>``, bent by a soft cap where the model has one, plus what is added at that place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[Any]
Whole: TypeAlias = NDArray[np.int64]

CELLS = 2**22
"""Cells of a map that are made at a time: 16 MB in float32."""


class Sees(Protocol):
    """Which keys queries may look at."""

    def rows(self, queries: Whole) -> NDArray[np.bool_]:
        """``(queries, keys)``, True where a query may look."""
        ...


class Adds(Protocol):
    """What is added to the scores of a head."""

    def rows(self, head: int, queries: Whole) -> Floats:
        """``(queries, keys)`` logits of the model's head ``head``; ``(1, keys)`` where all are alike."""
        ...


@dataclass(frozen=True)
class Plain:
    """Keys up to the query's own place, or all of them; ``window`` of them at most, and none that is padding.

    count   keys; offset: place of query 0 among them
    valid   ``(keys,)``, False for padding; None: no padding
    """

    count: int
    causal: bool = True
    window: int | None = None
    valid: NDArray[np.bool_] | None = None

    def rows(self, queries: Whole) -> NDArray[np.bool_]:
        """``(queries, keys)``, True where a query may look."""
        distance = np.asarray(queries)[:, None] - np.arange(self.count)
        seen = distance >= 0 if self.causal else np.ones(distance.shape, dtype=bool)
        if self.window is not None:
            seen &= distance < self.window if self.causal else np.abs(distance) < self.window
        return seen if self.valid is None else seen & self.valid


@dataclass(frozen=True, kw_only=True)
class Call:
    """One layer's attention over one text.

    layer    of its stack, from 0; stack: ``""`` where the model has one, else ``encoder`` or ``decoder``
    kind     ``self``, or ``cross`` where the keys are those of another text
    heads    numbers of the heads that are kept; ``of``: how many the layer has
    queries  ``(r,)`` places of the queries that are kept, ascending; ``count`` there are in all
    q        ``(heads, r, hd)`` as the scores took them: turned, where the model turns
    k        ``(kv heads kept, keys, hd)``; ``shared[n]`` is the one of head ``heads[n]``
    lse      ``(heads, r)`` log of the sum of ``exp(logit)`` over what a query sees; -inf where it sees
             nothing
    sinks    ``(heads,)`` logits of a key that isn't there, whose share of every row ``lse`` holds already
    given    ``(heads, r, keys)`` weights, where the model hands out those and nothing else; q and k are empty
    """

    layer: int
    stack: str
    kind: Literal["self", "cross"]
    heads: tuple[int, ...]
    of: int
    count: int
    queries: Whole
    q: Floats
    k: Floats
    shared: tuple[int, ...]
    lse: Floats
    scale: float
    sees: Sees
    adds: Adds | None = None
    softcap: float | None = None
    sinks: Floats | None = None
    given: Floats | None = None

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return self.k.shape[1] if self.given is None else self.given.shape[2]

    def place(self, head: int) -> int:
        """Where a head of the model stands among those that are kept."""
        return self.heads.index(head)

    def logits(self, head: int, rows: Whole | slice = slice(None)) -> Floats:
        """``(rows, keys)`` scores of kept queries, -inf where hidden. ``rows`` count kept queries."""
        n, queries = self.place(head), self.queries[rows]
        scores = self.scale * (self.q[n, rows] @ self.k[self.shared[n]].T)
        return self.bent(head, queries, scores)

    def bent(self, head: int, queries: Whole, scores: Floats) -> Floats:
        """Scores ``(queries, keys)`` with the soft cap, what is added, and -inf where nothing may be seen."""
        if self.softcap is not None:
            scores = self.softcap * np.tanh(scores / self.softcap)
        if self.adds is not None:
            scores = scores + self.adds.rows(head, queries)
        return np.where(self.sees.rows(queries), scores, -np.inf)

    def weights(self, head: int, rows: Whole | slice = slice(None)) -> Floats:
        """``(rows, keys)`` weights of kept queries, float32; zeros for a query that sees nothing."""
        n = self.place(head)
        if self.given is not None:
            return self.given[n, rows]
        lse = self.lse[n, rows, None]
        with np.errstate(invalid="ignore"):
            found = np.exp(self.logits(head, rows) - lse)
        return np.where(np.isfinite(lse), found, 0.0).astype(np.float32)

    def bands(self, head: int, most: int = CELLS) -> Iterator[tuple[Whole, Floats]]:
        """The map in bands of rows: places of the queries, and their weights ``(band, keys)``."""
        step = max(1, most // self.keys)
        for first in range(0, len(self.queries), step):
            yield self.queries[first : first + step], self.weights(head, slice(first, first + step))
