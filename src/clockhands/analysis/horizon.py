"""How far a set of hands can be trusted: where similarity stops falling, turns negative, and comes back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import inputs
from clockhands.analysis.inputs import Floats
from clockhands.analysis.kernel import kernel_blocks, kernel_range
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import chords
from clockhands.language import Text

_NOISE = 1e-13
"""A step of the kernel smaller than this is rounding, not a rise."""
_CHOSEN = 64
"""Distances that the curve chooses among all; the chords decide between them."""


@dataclass(frozen=True)
class Extreme:
    """A value of the kernel and the distance (tokens) where it stands."""

    distance: int
    value: float


@dataclass(frozen=True)
class Horizon:
    """What the similarity curve of a set of hands does within ``n`` tokens.

    ``speed``           rad / token, ``(pairs,)``
    ``first_rise``      smallest k with K(k + 1) > K(k), None if it never rises: decay ends here
    ``rising_share``    share of the n single steps that go up
    ``first_negative``  smallest k with K(k) < 0, None if there is none
    ``lowest``          the minimum
    ``echo``            the highest value past ``first_rise``: the distance most easily taken for a near one
    """

    speed: Floats
    n: int
    first_rise: int | None
    rising_share: float
    first_negative: int | None
    lowest: Extreme
    echo: Extreme | None

    @property
    def kernel(self) -> Labelled:
        """Cosine similarity at the distances 0 .. n, ``(n + 1,)``, computed when asked for."""
        return kernel_range(self.speed, self.n + 1)


def horizon(inv_freq: ArrayLike, n: int) -> Horizon:
    """Facts about the similarity at the distances 0 .. n. ``inv_freq``: ``(pairs,)``, rad / token.

    The curve is looked at in blocks and never held, so n may be some hundred millions.

    >>> one_hand = horizon([1.0], 10)
    >>> one_hand.first_rise, one_hand.first_negative, one_hand.echo.distance
    (3, 2, 6)
    """
    speed = inputs.speeds(inv_freq)
    n = inputs.count(n, Text("the number of distances", "距离的个数"), most=inputs.FARTHEST - 1)
    first_rise: int | None = None
    first_negative: int | None = None
    rising, before = 0, np.empty(0)  # the last value of the block before
    lowest: Extreme | None = None
    echo: Extreme | None = None
    for start, values in kernel_blocks(speed, n + 1):
        rises = np.diff(values, prepend=before) > _NOISE
        rising += int(np.count_nonzero(rises))
        past = 0
        if first_rise is None and rises.any():
            past = int(rises.argmax()) + 1 - len(before)  # where the first step up leads
            first_rise = start + past - 1
        if first_rise is not None:
            echo = _higher(echo, start + past, values[past:])
        if first_negative is None:
            below = values < 0
            first_negative = start + int(below.argmax()) if below.any() else None
        low = int(values.argmin())
        if lowest is None or values[low] < lowest.value:
            lowest = Extreme(start + low, float(values[low]))
        before = values[-1:]
    assert lowest is not None
    return Horizon(speed, n, first_rise, rising / n, first_negative, lowest, echo)


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
    # The curve alone loses half its digits where hands nearly meet: it chooses, the chords decide.
    similar, nearest = np.empty(0), np.empty(0, dtype=np.int64)
    for start, values in kernel_blocks(speed, n, start=1):
        some = np.flatnonzero(values > similar[-1]) if len(similar) == _CHOSEN else np.arange(len(values))
        some = some[_highest(values[some])]
        similar = np.concatenate([similar, values[some]])
        nearest = np.concatenate([nearest, start + some])
        kept = np.argsort(-similar, kind="stable")[:_CHOSEN]
        similar, nearest = similar[kept], nearest[kept]
    nearest = np.sort(nearest)
    gaps = chords(speed, nearest.astype(np.float64))
    best = int(gaps.argmin())
    return Extreme(int(nearest[best]), float(gaps[best]))


def _highest(values: Floats) -> NDArray[np.intp]:
    """Indices of the ``_CHOSEN`` highest, of equal ones the first."""
    if len(values) <= _CHOSEN:
        return np.arange(len(values))
    least = np.partition(values, -_CHOSEN)[-_CHOSEN]
    above = np.flatnonzero(values > least)
    return np.concatenate([above, np.flatnonzero(values == least)[: _CHOSEN - len(above)]])


def _higher(echo: Extreme | None, start: int, values: Floats) -> Extreme:
    """The higher of what was found and the highest of ``values``, the first where two are equal."""
    high = int(values.argmax())
    if echo is not None and echo.value >= values[high]:
        return echo
    return Extreme(start + high, float(values[high]))
