"""Many tests at once: the chance that any of them errs is held."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.experiments.statistics.given import numbers


def holm(p_values: ArrayLike) -> list[float]:
    """Adjusted p of each, in the order given (Holm 1979, Scand. J. Statist. 6, p. 65).

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    given = numbers(p_values)
    order = np.argsort(given, kind="stable")
    factors = np.arange(len(given), 0, -1)
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * factors))
    return adjusted.tolist()
