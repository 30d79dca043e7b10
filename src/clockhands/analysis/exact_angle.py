"""Angles that stay right far out: speed times position is reduced to one turn before it is rounded.

A plain float64 product ``inv_freq * position`` is off by up to half a unit in its last place: 6e-11 rad at a
million radians, 6e-8 at a billion. Here the product is kept as an unevaluated sum of two float64 (Dekker
1971, "A floating-point technique for extending the available precision"), whole turns are taken off, and what
is left is rounded once: the angle is right to about 1e-15 rad for every position up to 2^52.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clockhands.analysis.blocks import AT_ONCE, parts
from clockhands.analysis.inputs import Floats

TURN = 2 * np.pi
_PER_TURN, _PER_TURN_REST = 0.15915494309189535, -9.839338337591243e-18
"""1 / (2 pi) to 106 bits, as a sum of two float64."""
_SPLITTER = 2.0**27 + 1


@dataclass(frozen=True)
class Speed:
    """Turns / token of each hand, ``(pairs,)``, as the sum ``main + rest``."""

    main: Floats
    rest: Floats

    def within_half_a_turn(self) -> Speed:
        """The same hands at whole positions, without the whole turns that they make from one to the next."""
        return Speed(self.main - np.rint(self.main), self.rest)


def turns_per_token(inv_freq: Floats) -> Speed:
    """Speeds ``(pairs,)`` in rad / token to turns / token, to 106 bits."""
    product, error = _exact_product(inv_freq, np.array(_PER_TURN))
    rest = error + inv_freq * _PER_TURN_REST
    main = product + rest
    return Speed(main, rest - (main - product))


def angles(speed: Speed, positions: Floats) -> Floats:
    """Angle of every hand at every position, ``(*positions.shape, pairs)``, rad in [-pi, pi].

    >>> hour_hand = turns_per_token(np.array([2 * np.pi / 12]))
    >>> angles(hour_hand, np.array([0.0, 3.0, 15.0])).round(4).tolist()
    [[0.0], [1.5708], [1.5708]]
    """
    pairs = len(speed.main)
    if positions.size * pairs <= AT_ONCE:
        return _angles(speed, positions)
    places = positions.reshape(-1)
    found = np.empty((len(places), pairs))
    for part in parts(len(places), pairs):
        found[part] = _angles(speed, places[part])
    return found.reshape(*positions.shape, pairs)


def _angles(speed: Speed, positions: Floats) -> Floats:
    at = positions[..., None]
    turns, error = _exact_product(speed.main, at)
    turns -= np.rint(turns)
    turns += error
    turns += speed.rest * at
    turns -= np.rint(turns)
    turns *= TURN
    return turns


def _exact_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """``a * b`` as rounded product and the error of the rounding, both exact."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = a_high * b_high - product
    error += a_high * b_low
    error += a_low * b_high
    error += a_low * b_low
    return product, error


def _halves(a: Floats) -> tuple[Floats, Floats]:
    """26 leading bits and the rest, so that products of halves are exact."""
    shifted = _SPLITTER * a
    high = shifted - (shifted - a)
    return high, a - high
