"""Intervals from numbers drawn anew: first the seeds, then the test items of each seed that was drawn.

Items of one seed are not independent of one another, since one trained model answered all of them; drawing
seeds first keeps that in (Davison and Hinkley 1997, section 3.8). Where all seeds are tested on the same
items, these are drawn once for all: what is hard about an item is hard for every seed (Owen 2007, The
pigeonhole bootstrap, arXiv 0712.1111).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.catalogue.rules import require_count, require_real
from clockhands.experiments.statistics.given import numbers

RESAMPLES = 10_000
_AT_ONCE = 2_000_000  # numbers in memory


class Interval(NamedTuple):
    """What was measured, and the ends of its percentile interval."""

    value: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether all of it lies on one side of 0."""
        return self.low > 0 or self.high < 0


def bootstrap(
    scores: ArrayLike,
    statistic: Callable[..., Any] = np.median,
    *,
    shared: bool = False,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Of ``scores`` ``(seeds, items)``: ``statistic`` over seeds of the mean over items.

    For two schemes give their differences, item by item: the same seeds and items are then drawn for both.
    shared  whether the items of all seeds are the same, in the same order

    With few seeds the interval is too narrow: n seeds hold only C(2n - 1, n) different samples, 10 for three.

    >>> bootstrap([[1.0, 1.0], [1.0, 1.0]])
    Interval(value=1.0, low=1.0, high=1.0)
    """
    given = numbers(scores, ndim=2)
    require_real(level, "level", least=0.5, most=0.9999)
    require_count(resamples, "resamples", least=100)
    generator = np.random.default_rng(seed)
    rows = max(1, _AT_ONCE // given.size)
    drawn = [
        statistic(_means(given, min(rows, resamples - start), generator, shared), axis=1)
        for start in range(0, resamples, rows)
    ]
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(drawn), (tail, 1 - tail)).tolist()
    return Interval(float(statistic(given.mean(axis=1), axis=0)), low, high)


def _means(
    given: NDArray[np.float64], count: int, generator: np.random.Generator, shared: bool
) -> NDArray[np.float64]:
    """``(count, seeds)``: mean over drawn items of drawn seeds."""
    seeds, items = given.shape
    chosen = generator.integers(seeds, size=(count, seeds, 1))
    which = generator.integers(items, size=(count, 1 if shared else seeds, items))
    which = which + chosen * items  # one index is taken faster than two
    return given.ravel().take(which).mean(axis=2)
