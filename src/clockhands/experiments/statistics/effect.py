"""The smallest difference that so many seeds would probably find."""

from __future__ import annotations

import math

import numpy as np

from clockhands.catalogue.rules import require_count, require_real
from clockhands.experiments.statistics.signs import all_sums, smallest_p

_TRIALS = 1000
_MOST_FLIPPED = 10
"""Seeds up to which the test itself is simulated (2^n patterns a trial)."""


def minimum_detectable_effect(
    pairs: int, level: float = 0.05, power: float = 0.8, *, deviation: float = 1.0, seed: int = 0
) -> float:
    """Mean paired difference found with a chance of ``power`` by the sign-flip test, two-sided.

    deviation  standard deviation of the paired differences, which are taken to be normal

    Infinite where even equal signs throughout don't reach ``level``. Up to ten pairs 1,000 experiments are
    simulated; past that Student's t stands for the test, by the expansion of its quantile around the normal
    one (Abramowitz and Stegun 1964, 26.7.5), which finds a twentieth too little at a level of 0.001, and
    more below.

    >>> minimum_detectable_effect(5)
    inf
    """
    require_count(pairs, "pairs")
    require_real(level, "level", least=1e-9, most=0.5)
    require_real(power, "power", least=0.5, most=0.99)
    require_real(deviation, "deviation", least=0.0)
    if smallest_p(pairs) > level:
        return math.inf
    if pairs > _MOST_FLIPPED:
        return deviation * _by_quantiles(pairs, level, power)
    drawn = np.random.default_rng(seed).standard_normal((_TRIALS, pairs))
    low, high = 0.0, 16.0
    for _ in range(12):
        middle = (low + high) / 2
        if _power(drawn + middle, level) < power:
            low = middle
        else:
            high = middle
    return deviation * high


def _power(samples: np.ndarray, level: float) -> float:
    """Share of ``samples`` ``(trials, n)`` in which the test reaches ``level``."""
    measured = np.abs(samples.sum(axis=1, keepdims=True)) * (1 - 1e-12)
    far = np.abs(all_sums(samples)) >= measured
    return float(np.mean(far.mean(axis=1) <= level))


def _by_quantiles(pairs: int, level: float, power: float) -> float:
    from statistics import NormalDist

    normal, freedom = NormalDist(), pairs - 1

    def student(share: float) -> float:
        z = normal.inv_cdf(share)
        return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)

    return (student(1 - level / 2) + student(power)) / math.sqrt(pairs)
