"""Seeds in a few numbers that a single lucky one can't move: median and quartiles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from clockhands.experiments.statistics.given import numbers


class Summary(NamedTuple):
    """Median and quartiles of the seeds, least and most, in the unit of what was measured."""

    median: float
    low: float
    high: float
    least: float
    most: float


def summary(values: ArrayLike) -> Summary:
    """Of one number a seed ``(n,)``; quartiles are interpolated linearly (Hyndman and Fan 1996, type 7).

    >>> summary([1.0, 2.0, 3.0, 4.0, 100.0])[:3]
    (3.0, 2.0, 4.0)
    """
    given = numbers(values)
    low, median, high = np.quantile(given, (0.25, 0.5, 0.75)).tolist()
    return Summary(median, low, high, float(given.min()), float(given.max()))
