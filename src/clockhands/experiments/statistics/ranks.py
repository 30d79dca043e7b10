"""What ranks say: Wilcoxon's test of paired differences, and how far mean ranks must lie apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.catalogue.rules import require_choice, require_count
from clockhands.errors import ClockhandsError
from clockhands.experiments.statistics.given import numbers

MOST_PAIRS = 200

NEMENYI: dict[str, tuple[float, ...]] = {
    "0.05": (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    "0.10": (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}
"""Of 2 to 10 schemes: quantiles of the range of so many normal numbers, divided by sqrt(2).
Demšar 2006, JMLR 7, table 5(a)."""


def wilcoxon(differences: ArrayLike) -> float:
    """Two-sided exact p of paired differences ``(n,)`` (Wilcoxon 1945, Biometrics Bulletin 1, p. 80).

    Differences of 0 are left out, as Wilcoxon does; equal sizes share their mean rank, and p is that of the
    ranks as they are. 1 where nothing is left.

    >>> wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    0.03125
    """
    given = numbers(differences)
    given = given[given != 0]
    if not len(given):
        return 1.0
    require_count(len(given), "pairs", most=MOST_PAIRS)
    doubled = np.rint(2 * ranks(np.abs(given))).astype(np.int64)  # mean ranks are halves
    below = min(int(doubled[given > 0].sum()), int(doubled[given < 0].sum()))
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] += ways[: len(ways) - rank].copy()
        ways /= 2  # shares of the patterns so far, so that no count overflows
    return min(1.0, 2 * float(ways[: below + 1].sum()))


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the smallest; equal ones share the mean of their ranks.

    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[where]


def mean_ranks(scores: ArrayLike) -> list[float]:
    """Of scores ``(tasks, schemes)``, higher is better: each scheme's mean rank over the tasks, 1 the best.

    >>> mean_ranks([[0.9, 0.5], [0.8, 0.8]])
    [1.25, 1.75]
    """
    given = numbers(scores, ndim=2)
    return np.mean([ranks(-row) for row in given], axis=0).tolist()


def critical_difference(schemes: int, tasks: int, level: str = "0.05") -> float:
    """How far two mean ranks must lie apart to differ: ``q sqrt(k (k + 1) / (6 N))`` (Nemenyi 1963).

    Raises ClockhandsError for other levels than "0.05" and "0.10", and for more schemes than the table has.

    >>> round(critical_difference(4, 14, "0.10"), 3)
    1.118
    """
    require_choice(level, "level", tuple(NEMENYI))
    require_count(tasks, "tasks")
    table = NEMENYI[level]
    most = len(table) + 1
    if not 2 <= schemes <= most:
        raise ClockhandsError(
            f"schemes is {schemes}, and the table of critical differences has 2 to {most}: compare fewer",
            f"schemes 为 {schemes}，而临界差表只有 2 到 {most}：请少比较几种",
        )
    return table[schemes - 2] * math.sqrt(schemes * (schemes + 1) / (6 * tasks))
