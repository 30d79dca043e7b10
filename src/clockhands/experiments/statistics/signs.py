"""The sign-flip test: were two schemes alike, each paired difference might as well have the other sign."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.catalogue.rules import require_count, require_real
from clockhands.experiments.statistics.given import numbers

MOST_EXACT = 20
"""Pairs up to which all 2^n patterns of signs are gone through; past it as many are drawn at random."""

_ALIKE = 1e-12  # sums that differ by rounding alone count as equal


def sign_flip(differences: ArrayLike, *, seed: int = 0) -> float:
    """Two-sided p of the mean of paired differences ``(n,)`` (Fisher 1935, section 21).

    The share of all patterns of signs whose sum is at least as far from 0 as the one that was measured.

    >>> sign_flip([0.1, 0.2, 0.3])
    0.25
    """
    given = numbers(differences)
    measured = abs(float(given.sum()))
    least = measured - _ALIKE * float(np.abs(given).sum())
    if len(given) <= MOST_EXACT:
        return float(np.mean(np.abs(all_sums(given)) >= least))
    generator = np.random.default_rng(seed)
    far = drawn = 0
    for _ in range(2**MOST_EXACT // 4096):
        sums = generator.choice((-1.0, 1.0), size=(4096, len(given))) @ given
        far, drawn = far + int((np.abs(sums) >= least).sum()), drawn + 4096
    return (far + 1) / (drawn + 1)  # the measured pattern is one of them


def all_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of ``values`` ``(..., n)`` under all patterns of signs, ``(..., 2^n)``.

    >>> all_sums(np.array([1.0, 3.0])).tolist()
    [4.0, 2.0, -2.0, -4.0]
    """
    sums = np.zeros((*values.shape[:-1], 1))
    for index in range(values.shape[-1]):
        one = values[..., index : index + 1]
        sums = np.concatenate((sums + one, sums - one), axis=-1)
    return sums


def smallest_p(pairs: int) -> float:
    """The smallest p that the exact test can give for so many pairs: one pattern in 2^n, and its opposite.

    >>> smallest_p(3), smallest_p(6)
    (0.25, 0.03125)
    """
    require_count(pairs, "pairs")
    return 2.0 ** (1 - pairs)


def seeds_needed(comparisons: int = 1, level: float = 0.05) -> int:
    """Fewest seeds with which one of so many comparisons can reach ``level`` after Holm's correction.

    >>> seeds_needed(), seeds_needed(5)
    (6, 8)
    """
    require_count(comparisons, "comparisons")
    require_real(level, "level", least=1e-9, most=0.5)
    return max(1, math.ceil(1 + math.log2(comparisons / level)))
