"""Places of words that must not lie on one another."""

from __future__ import annotations

import numpy as np


def apart(heights: list[float], gap: float, top: float, bottom: float = -np.inf) -> list[float]:
    """The heights moved as little as can be so that neighbours are ``gap`` apart and none is above ``top``,
    nor below ``bottom`` if there is room for all.

    Those that would lie on one another are spread around the middle of where they belong.

    >>> apart([0.0, 4.0, 4.0], 2.0, 9.0)
    [0.0, 3.0, 5.0]
    """
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    groups: list[list[float]] = []  # of heights less their steps: in rising order nothing overlaps
    for free in np.asarray(heights, dtype=np.float64)[order] - steps:
        groups.append([float(free)])
        while len(groups) > 1 and np.mean(groups[-2]) > np.mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = np.empty(len(heights))
    spread = np.concatenate([np.full(len(group), np.mean(group)) for group in groups])
    placed[order] = np.minimum(np.maximum(spread + steps, bottom + steps), top - steps[::-1])
    return placed.tolist()
