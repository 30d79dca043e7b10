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
    found: list[tuple[Sinusoid, Floats]] = []
    for arrangement, first in product(ARRANGEMENTS, ORDERS):
        fit = _steady(_as_hands(table, arrangement, first))
        if fit is not None:
            speed, phase = fit
            found.append((Sinusoid(arrangement, first, speed), phase - speed * start))
    at_zero = (
        one for one, phase in found if (np.abs(phase - TURN * np.rint(phase / TURN)) < 5 * TOLERANCE).all()
    )
    forward = (one for one, _ in found if (one.inv_freq >= 0).all())
    return next(at_zero, None) or next(forward, None)


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


def _steady(hands: NDArray[np.complex128]) -> tuple[Floats, Floats] | None:
    """Speed and phase at row 0 of each hand if all have one length and turn evenly, else None.

    Where no hand turns at all the table is constant, which is no code of positions.
    """
    length = float(np.abs(hands).mean())
    if length == 0:
        return None
    speed = np.angle((hands[1:] * hands[:-1].conj()).sum(axis=0))
    unturned = hands * np.exp(-1j * speed * np.arange(len(hands))[:, None])
    phase = np.angle(unturned.sum(axis=0))
    off = np.abs(unturned - length * np.exp(1j * phase)).max()
    return (speed, phase) if off <= TOLERANCE * length and speed.any() else None
