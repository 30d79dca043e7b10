"""The distance between neighbouring positions: constant for hands, not for a learned table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import position_axis
from clockhands.analysis.blocks import parts
from clockhands.analysis.exact_angle import angles, turns_per_token
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text

STEADY = 1e-6
"""Relative spread under which a distance counts as constant: over rounding in float32, under anything to be
seen.
"""


@dataclass(frozen=True)
class Neighbours:
    """``distance``, ``(n - 1,)``: from each position to the next one; the rest summarises what is finite.

    Without any finite distance the mean is NaN and the spread 0.
    """

    distance: Labelled

    @property
    def finite(self) -> Floats:
        values = np.asarray(self.distance.values, dtype=np.float64)
        return values[np.isfinite(values)]

    @property
    def mean(self) -> float:
        return float(self.finite.mean()) if self.finite.size else np.nan

    @property
    def spread(self) -> float:
        """Largest minus smallest distance."""
        return float(np.ptp(self.finite)) if self.finite.size else 0.0

    @property
    def constant(self) -> bool:
        return self.spread <= STEADY * self.mean

    @property
    def drawing_range(self) -> tuple[float, float]:
        """Limits for the axis of a picture. They start at zero, so rounding noise can't fill the picture."""
        return 0.0, 1.25 * float(self.finite.max(initial=0.0)) or 1.0


def neighbour_distance(inv_freq: ArrayLike, step: int = 1) -> float:
    """Euclidean distance between the codes of positions ``step`` apart, the same everywhere.

    ``sqrt(sum_i (2 sin(w_i step / 2))^2)``: each hand moves along a chord. ``inv_freq``: ``(pairs,)``, rad /
    token.

    >>> round(neighbour_distance([1.0, 0.1]), 5)
    0.96405
    """
    speed = inputs.speeds(inv_freq)
    step = inputs.count(step, Text("the step", "步长"), least=0)
    return float(chords(speed, np.array([float(step)]))[0])


def table_neighbours(table: ArrayLike, start: int = 0) -> Neighbours:
    """Distance from each row of ``table``, ``(n, width)``, to the next; ``n`` is at least 2.

    >>> near = table_neighbours([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])
    >>> near.distance.values.tolist(), near.constant
    ([5.0, 1.0], False)
    """
    vectors = inputs.rows(table)
    inputs.count(len(vectors), Text("the number of positions", "位置数"), least=2)
    values = steps(vectors)
    axis = position_axis(np.arange(start, start + len(values)))
    return Neighbours(
        Labelled("neighbour_distance", Text("distance to the next position", "相邻位置距离"), values, (axis,))
    )


def steps(rows: Floats) -> Floats:
    """How far each row of ``(n, width)`` is from the one before, ``(n - 1,)``."""
    found = np.empty(len(rows) - 1)
    for part in parts(len(found), int(rows.shape[1])):
        found[part] = np.linalg.norm(np.diff(rows[part.start : part.stop + 1], axis=0), axis=1)
    return found


def chords(speed: Floats, distances: Floats) -> Floats:
    """``|PE(p) - PE(p + k)|`` at distances k, ``(n,)``, free of the cancellation in ``2 (K(0) - K(k))``."""
    return 2 * np.sqrt((np.sin(angles(turns_per_token(speed), distances / 2)) ** 2).sum(axis=1))
