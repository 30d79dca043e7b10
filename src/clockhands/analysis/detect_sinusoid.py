"""Is a table made of clock hands, and in which arrangement are they stored?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.inputs import Floats

Arrangement = Literal["interleaved", "concatenated"]
First = Literal["sin", "cos"]
Columns = NDArray[np.int64]

ARRANGEMENTS: tuple[Arrangement, ...] = ("interleaved", "concatenated")
ORDERS: tuple[First, ...] = ("sin", "cos")

TOLERANCE = 0.02
"""How far a value may be off, in lengths of a hand: bf16 rounding is 0.004, another frequency about 1."""
_GLANCE = 1024
_GLANCE_TOLERANCE = 8 * TOLERANCE
"""Rows looked at first, and what is allowed there: what is within TOLERANCE everywhere is within 4 there,
since a speed taken from n rows errs by at most 2 TOLERANCE / n and the phase by as much again."""
_AT_ONCE = 2**20  # numbers: more at once are no faster and take memory
FEWEST_ROWS = 8
"""Fewer rows than this fit too many frequencies to name one."""


@dataclass(frozen=True)
class Sinusoid:
    """A table recognised as hands. ``inv_freq``: ``(pairs,)``, rad / token, -pi to pi as integers see it."""

    arrangement: Arrangement
    first: First
    inv_freq: Floats


def recognise(table: Floats, start: int = 0) -> Sinusoid | None:
    """The convention of a sinusoidal ``table``, ``(n, width)``, or None if it is no such table.

    ``start``: position of the first row. Where the phases fit position ``start`` they say whether sin or cos
    comes first; where they fit no convention (another start), hands are taken to turn forward.
    """
    if len(table) < FEWEST_ROWS or table.shape[1] < 2:
        return None
    forward = None
    for arrangement, first in product(ARRANGEMENTS, ORDERS):
        # Most tables and conventions are ruled out by their first rows, far cheaper than by all of them.
        if _steady(_as_hands(table[:_GLANCE], arrangement, first), _GLANCE_TOLERANCE) is None:
            continue
        fit = _steady(_as_hands(table, arrangement, first))
        if fit is None or not fit[0].any():  # where no hand turns it is no code of positions
            continue
        speed, phase = fit[0], fit[1] - fit[0] * start
        one = Sinusoid(arrangement, first, speed)
        if (np.abs(phase - TURN * np.rint(phase / TURN)) < 5 * TOLERANCE).all():
            return one
        if forward is None and (speed >= 0).all():
            forward = one
    return forward


def paired_columns(width: int, arrangement: Arrangement, first: First = "sin") -> tuple[Columns, Columns]:
    """Which column holds the first and which the second part of each hand; an odd last sine stands alone.

    >>> [columns.tolist() for columns in paired_columns(5, "concatenated")]
    [[0, 1], [3, 4]]
    """
    pair = np.arange(width // 2)
    if arrangement == "interleaved":
        return 2 * pair, 2 * pair + 1
    return pair, pair + (width - len(pair) if first == "sin" else len(pair))


def _as_hands(table: Floats, arrangement: Arrangement, first: First) -> NDArray[np.complex128]:
    """Each hand as ``cos + i sin``, ``(n, pairs)``."""
    ones, others = paired_columns(table.shape[1], arrangement, first)
    sines, cosines = (ones, others) if first == "sin" else (others, ones)
    return table[:, cosines] + 1j * table[:, sines]


def _steady(hands: NDArray[np.complex128], tolerance: float = TOLERANCE) -> tuple[Floats, Floats] | None:
    """Speed and phase at row 0 of each hand if all have one length and turn evenly, else None."""
    pairs = int(hands.shape[1])
    length = float(np.abs(hands).mean())
    if length == 0:
        return None
    speed, phase = np.empty(pairs), np.empty(pairs)
    steps = np.arange(len(hands))[:, None]
    many = max(1, _AT_ONCE // len(hands))
    for start in range(0, pairs, many):
        some = slice(start, start + many)
        turning = hands[:, some]
        speed[some] = np.angle((turning[1:] * turning[:-1].conj()).sum(axis=0))
        unturned = turning * np.exp(-1j * speed[some] * steps)
        phase[some] = np.angle(unturned.sum(axis=0))
        if np.abs(unturned - length * np.exp(1j * phase[some])).max() > tolerance * length:
            return None
    return speed, phase
