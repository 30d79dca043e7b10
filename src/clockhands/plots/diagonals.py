"""A matrix of pairs of positions, summed up along its diagonals: what it says of each distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import distance_axis
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.plots.scales import symmetric_limit

STEADY = 1e-9
"""Spread along a diagonal, relative to the largest entry, under which it counts as one number."""


@dataclass(frozen=True)
class Diagonals:
    """Mean, smallest and largest entry at each distance 0 … n-1 below the diagonal, each ``(n,)``."""

    mean: Labelled
    lowest: Labelled
    highest: Labelled

    @property
    def spread(self) -> float:
        """Largest difference between two entries of one diagonal, 0 if there are no numbers."""
        return float(np.nanmax(self.highest.values - self.lowest.values, initial=0.0))

    @property
    def constant(self) -> bool:
        """Whether the matrix depends on the distance alone, rounding aside."""
        return self.spread <= STEADY * symmetric_limit(self.lowest.values, self.highest.values)


def diagonals(matrix: Labelled) -> Diagonals:
    """Sum up a square ``(n, n)`` matrix along the diagonals on and below the main one; NaN stands aside."""
    values = matrix.values
    lines = [np.diagonal(values, -distance) for distance in range(len(values))]
    axis = distance_axis(np.arange(len(values)))

    def each(id: str, name: Text, summary: NDArray[np.float64]) -> Labelled:
        return Labelled(id, name, summary, (axis,), matrix.unit, matrix.note)

    return Diagonals(
        each("mean", Text("mean at this distance", "该距离上的平均值"), _summary(lines, np.mean)),
        each("lowest", Text("smallest at this distance", "该距离上的最小值"), _summary(lines, np.min)),
        each("highest", Text("largest at this distance", "该距离上的最大值"), _summary(lines, np.max)),
    )


def _summary(lines: list[NDArray[np.float64]], of: object) -> NDArray[np.float64]:
    assert callable(of)
    finite = (line[np.isfinite(line)] for line in lines)
    return np.array([of(line) if len(line) else np.nan for line in finite])
