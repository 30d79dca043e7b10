"""How far a set of hands can be trusted: where similarity stops falling, turns negative, and comes back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.inputs import Floats
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import chords
from clockhands.language import Text

_NOISE = 1e-13
"""A step of the kernel smaller than this is rounding, not a rise."""


@dataclass(frozen=True)
class Extreme:
    """A value of the kernel and the distance (tokens) where it stands."""

    distance: int
    value: float


@dataclass(frozen=True)
class Horizon:
    """What the similarity curve of a set of hands does within ``n`` tokens.

    ``kernel``          cosine similarity at the distances 0 .. n, ``(n + 1,)``
    ``first_rise``      smallest k with K(k + 1) > K(k), None if it never rises: decay ends here
    ``rising_share``    share of the n single steps that go up
    ``first_negative``  smallest k with K(k) < 0, None if there is none
    ``lowest``          the minimum
    ``echo``            the highest value past ``first_rise``: the distance most easily taken for a near one
    """

    kernel: Labelled
    first_rise: int | None
    rising_share: float
    first_negative: int | None
    lowest: Extreme
    echo: Extreme | None


def horizon(inv_freq: ArrayLike, n: int) -> Horizon:
    """Facts about the similarity at the distances 0 .. n. ``inv_freq``: ``(pairs,)``, rad / token.

    >>> one_hand = horizon([1.0], 10)
    >>> one_hand.first_rise, one_hand.first_negative, one_hand.echo.distance
    (3, 2, 6)
    """
    n = inputs.count(n, Text("the number of distances", "距离的个数"))
    curve = kernel_range(inv_freq, n + 1)
    values: Floats = curve.values
    rises = np.diff(values) > _NOISE
    first_rise = _first(rises)
    echo = None
    if first_rise is not None:
        past = first_rise + 1
        echo = _extreme(values, past + int(values[past:].argmax()))
    return Horizon(
        curve,
        first_rise,
        float(rises.mean()),
        _first(values < 0),
        _extreme(values, int(values.argmin())),
        echo,
    )


def nearest_return(inv_freq: ArrayLike, n: int) -> Extreme:
    """The distance 1 .. n at which the hands come nearest to where they started, and how near (Euclidean).

    At distance 1 unless the hands nearly repeat; a return nearer than ``neighbour_distance`` is an alias:
    far positions look nearer than neighbours do.

    >>> back = nearest_return([1.0], 1000)
    >>> back.distance, round(back.value, 6)
    (710, 6e-05)
    """
    speed = inputs.speeds(inv_freq)
    n = inputs.count(n, Text("the number of distances", "距离的个数"))
    similar = kernel_range(speed, n, start=1).values
    # The curve alone loses half its digits where hands nearly meet: it chooses, the chords decide.
    nearest = np.sort(np.argpartition(similar, -min(n, 64))[-64:]) + 1
    gaps = chords(speed, nearest.astype(np.float64))
    best = int(gaps.argmin())
    return Extreme(int(nearest[best]), float(gaps[best]))


def _first(where: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int | None:
    return int(where.argmax()) if where.any() else None


def _extreme(values: Floats, distance: int) -> Extreme:
    return Extreme(distance, float(values[distance]))
