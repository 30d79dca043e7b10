"""What became of a projection's numbers on their way into a query: their order, and what they were
multiplied by.

Numpy only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Origin:
    """For each dimension of a head, where its number came from.

    index   place in the output that it was taken from, -1 where none was found
    factor  what it was multiplied by, NaN where none was found
    """

    index: np.ndarray
    factor: np.ndarray


def origin(head: np.ndarray, outputs: Sequence[np.ndarray]) -> Origin | None:
    """Heads ``(b, width)`` at position 0, outputs ``(b, n)`` of modules in the order in which they ran.

    The same number times the same factor in every text of the batch is no coincidence. The last output that
    explains most wins: a norm after a projection rather than the projection.
    """
    best: Origin | None = None
    for output in outputs:
        found = _origin(head, output)
        known = int((found.index >= 0).sum())
        if known and (best is None or known >= int((best.index >= 0).sum())):
            best = found
    return best


def _origin(head: np.ndarray, output: np.ndarray) -> Origin:
    # What is added to every text alike, as a bias of the queries, is left out.
    head, output = head - head.mean(0), output - output.mean(0)
    width = head.shape[1]
    index, factor = np.full(width, -1), np.full(width, np.nan)
    safe = np.where(output == 0, np.nan, output)
    for d in range(width):
        ratio = head[:, d, None] / safe  # (b, n)
        spread = np.ptp(ratio, axis=0) / np.abs(ratio[0])
        spread = np.where(np.isfinite(spread), spread, np.inf)
        j = int(np.argmin(spread))
        if spread[j] < 1e-6:
            index[d], factor[d] = j, ratio[0, j]
    return Origin(index, factor)


def common(factors: np.ndarray) -> float | None:
    """The one factor of all, or None where they differ or aren't known."""
    known = factors[np.isfinite(factors)]
    if not len(known) or np.ptp(known) > 1e-5 * np.abs(known).max():
        return None
    return float(np.abs(np.median(known)))
