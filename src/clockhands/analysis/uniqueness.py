"""Up to where positions stay apart: the nearest return, the first alias, and the slowest hand alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.horizon import Extreme, nearest_return
from clockhands.analysis.inputs import Floats
from clockhands.analysis.kernel import kernel_blocks
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.language import Text

_GLANCE = 2**16
"""Distances looked at first: most sets of few hands have an alias among them."""


@dataclass(frozen=True)
class Uniqueness:
    """How safely a set of hands tells positions 0 .. n apart. There is no period: hands never all come back.

    ``neighbour``     distance between neighbouring positions, the same everywhere
    ``nearest``       the distance 1 .. n (tokens) at which the code comes nearest to itself, and how near
    ``first_alias``   the first distance that looks nearer than a neighbour does (tokens), None if none does
    ``slowest_alone`` half a turn of the slowest hand, tokens: up to here it alone tells positions apart;
                      infinite if it stands still
    """

    neighbour: float
    nearest: Extreme
    first_alias: int | None
    slowest_alone: float


def uniqueness(inv_freq: ArrayLike, n: int) -> Uniqueness:
    """What the distances 1 .. n say. ``inv_freq``: ``(pairs,)``, rad / token.

    >>> one_hand = uniqueness([1.0], 1000)
    >>> one_hand.first_alias, one_hand.nearest.distance, round(one_hand.slowest_alone, 2)
    (6, 710, 3.14)
    """
    speed = inputs.speeds(inv_freq)
    n = inputs.count(n, Text("the number of distances", "距离的个数"))
    slowest = float(np.abs(speed).min())
    return Uniqueness(
        neighbour_distance(speed),
        nearest_return(speed, n),
        _first_alias(speed, n),
        TURN / 2 / slowest if slowest else float("inf"),
    )


def _first_alias(speed: Floats, n: int) -> int | None:
    """The first distance 2 .. n that is more similar than distance 1; later ones are not looked at."""
    neighbour: float | None = None
    for start, values in kernel_blocks(speed, n, start=1, first=_GLANCE):
        neighbour = float(values[0]) if neighbour is None else neighbour
        nearer = values > neighbour + 1e-12
        if nearer.any():
            return start + int(nearer.argmax())
    return None
