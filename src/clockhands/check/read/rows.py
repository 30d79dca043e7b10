"""Which layout the rows of q and k weights have, told from a trained model's weights alone.

RoPE turns two dimensions as a hand, so nothing in training tells the two apart: where both are turned by one
angle in q and in k, the model stays the same. Two things follow for the products ``G = Wq Wk^T`` of rows:

- the diagonal is alike within a hand, ``G[a, a]`` near ``G[b, b]``;
- beside it, what a hand adds up to is antisymmetric, ``G[a, b]`` near ``-G[b, a]``.

Where rows are stored interleaved, the first tells: a row's likeness is its neighbour, and the row half a head
on is a hand of quite another speed. Where they are stored in halves, neighbours are hands of almost the same
speed, and the second tells. Their sum leans to plus for interleaved and to minus for half, key head by key
head, and to neither for untrained weights. Measured on SmolLM2-135M: 47 of 48 heads lean to plus as stored
(mean 0.90, t = 10.6), 47 of 48 to minus once its rows are moved (-0.51, t = -8.7), 26 of 48 under rows in
random order (``python -m benchmarks.rows``). How well it tells other models apart has not been measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clockhands.check.form import Layout

FEWEST_HEADS = 6
LEAST_LEAN, LEAST_T = (
    0.2,
    4.0,
)  # untrained weights: 0.31 a head of 64 dimensions and one query head, by chance


@dataclass(frozen=True)
class StoredRows:
    """What the rows say.

    layout  None where they don't tell
    lean    mean over heads: above 0 to interleaved, below to half
    t       mean over its standard error
    agree   heads that lean the way of the mean, of ``heads``
    """

    layout: Layout | None
    lean: float
    t: float
    agree: int
    heads: int

    def as_record(self) -> dict[str, object]:
        """For JSON."""
        return {
            "layout": self.layout,
            "lean": round(self.lean, 3),
            "t": round(self.t, 1),
            "agree": self.agree,
            "heads": self.heads,
        }


def layout_of_rows(heads: Iterable[tuple[np.ndarray, np.ndarray]], rotary_dim: int) -> StoredRows | None:
    """The verdict over ``heads``: rows of q, ``(query heads, head_dim, hidden)``, and of their k head.

    Only the first ``rotary_dim`` rows are looked at. None where there is nothing to compare: fewer than three
    hands, fewer than ``FEWEST_HEADS`` heads, or weights that are not finite.
    """
    if rotary_dim < 6 or rotary_dim % 2:
        return None
    leans = [lean for q, k in heads if (lean := _lean(q[:, :rotary_dim], k[:rotary_dim])) is not None]
    if len(leans) < FEWEST_HEADS:
        return None
    mean, spread = float(np.mean(leans)), float(np.std(leans, ddof=1))
    t = mean / spread * math.sqrt(len(leans)) if spread else math.copysign(math.inf, mean)
    agree = sum(lean * mean > 0 for lean in leans)
    told = abs(mean) >= LEAST_LEAN and abs(t) >= LEAST_T
    layout: Layout | None = None if not told else "interleaved" if mean > 0 else "half"
    return StoredRows(layout, mean, t, agree, len(leans))


def _lean(q: np.ndarray, k: np.ndarray) -> float | None:
    """How much a key head looks interleaved rather than half, over its query heads."""
    key, leans = _unit(k), []
    rows = np.arange(len(k))
    near, far = (rows[0::2], rows[1::2]), (rows[: len(rows) // 2], rows[len(rows) // 2 :])
    for query in map(_unit, q):
        if key is None or query is None:
            return None
        products = query @ key.T
        unlike = _unlike(products, *far) - _unlike(products, *near)
        leans.append(unlike + _turned(products, *near) - _turned(products, *far))
    lean = float(np.mean(leans)) if leans else math.nan
    return lean if math.isfinite(lean) else None


def _unit(rows: np.ndarray) -> np.ndarray | None:
    rows = np.asarray(rows, dtype=np.float64)
    with np.errstate(all="ignore"):
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        return rows / lengths if np.isfinite(lengths).all() and (lengths > 0).all() else None


def _unlike(products: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    diagonal = products.diagonal()
    return math.log(np.abs(diagonal[a] - diagonal[b]).mean() + TINY)


def _turned(products: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    there, back = products[a, b], products[b, a]
    return math.log((np.abs(there - back).mean() + TINY) / (np.abs(there + back).mean() + TINY))


TINY = 1e-12  # equal weights have differences of 0

MOST_LAYERS_READ, MOST_HEADS_READ, MOST_QUERIES_READ = 16, 3, 4


def spread_over(layers: Sequence[int], heads_of: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """Layer and key head of those to look at: a few heads of layers spread evenly, so that big models don't
    take longer."""
    count = min(len(layers), MOST_LAYERS_READ)
    for step in range(count):
        layer = layers[step * len(layers) // count]
        for head in range(min(heads_of(layer), MOST_HEADS_READ)):
            yield layer, head
