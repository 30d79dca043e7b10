"""Tables whose columns are waves that don't pair up: which columns, and does it matter?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.detect_sinusoid import ARRANGEMENTS, FEWEST_ROWS, TOLERANCE, Columns, paired_columns
from clockhands.analysis.inputs import Floats

OTHERS_ALLOWED = 0.25
"""A table of waves may hold this share of columns that are none; dead ones have a rule of their own."""
_ROWS_FITTED = 512


@dataclass(frozen=True)
class Mispairing:
    """A table of single waves that is no sinusoidal table.

    ``columns``   the first two columns that should be one hand and are not
    ``speeds``    their frequencies, rad / token
    ``pairs``     how many pairs are wrong
    ``shuffled``  True if every wave has its partner somewhere else in the table: an order that can be learned
    """

    columns: tuple[int, int]
    speeds: tuple[float, float]
    pairs: int
    shuffled: bool


@dataclass(frozen=True)
class _Waves:
    """Columns as ``length * sin(speed * position + phase)``, each ``(width,)``, NaN where one is no wave."""

    speed: Floats
    phase: Floats
    rows: int


def find_mispairing(table: Floats, start: int = 0) -> Mispairing | None:
    """The pairs that are no hands in a ``table`` of waves, ``(n, width)``; None if there are no such pairs.

    ``start``: position of the first row. Meant for tables that ``recognise`` does not know.
    """
    if len(table) < FEWEST_ROWS or table.shape[1] < 2:
        return None
    waves = _fit(table[:_ROWS_FITTED], start)
    none_turns = not (waves.speed * waves.rows > 1).any()
    if none_turns or np.isnan(waves.speed).mean() > OTHERS_ALLOWED:
        return None
    readings = [_unequal(waves, *paired_columns(table.shape[1], arrangement)) for arrangement in ARRANGEMENTS]
    wrong = min(readings, key=len)
    if len(wrong) == 0:
        return None
    one, other = (int(column) for column in wrong[0])
    speeds = float(waves.speed[one]), float(waves.speed[other])
    return Mispairing((one, other), speeds, len(wrong), _all_have_partners(waves))


def _fit(rows: Floats, start: int) -> _Waves:
    """Fit all columns. They share one length, the largest value: slow waves alone don't show theirs."""
    c = rows / (np.abs(rows).max() or 1.0)
    index = np.arange(len(c), dtype=np.float64)[:, None]
    # c(p+1) + c(p-1) = 2 cos(w) c(p) gives a first guess ...
    inner = c[1:-1]
    power = (inner**2).sum(axis=0)
    twice_cos = (inner * (c[2:] + c[:-2])).sum(axis=0) / np.where(power == 0, 1.0, power)
    speed: Floats = np.arccos(np.clip(twice_cos / 2, -1, 1))
    phase: Floats = np.arcsin(np.clip(c[0], -1, 1))
    phase = np.where(c[1] >= c[0], phase, np.pi - phase)
    # ... and Gauss-Newton steps make it fit: the normal equations of two unknowns, column by column.
    for _ in range(8):
        off, slope = c - np.sin(speed * index + phase), np.cos(speed * index + phase)
        ss, sp, pp = (
            ((slope * index) ** 2).sum(axis=0),
            (slope**2 * index).sum(axis=0),
            (slope**2).sum(axis=0),
        )
        s, p = (off * slope * index).sum(axis=0), (off * slope).sum(axis=0)
        size = ss * pp - sp * sp
        size = np.where(size <= 1e-12 * ss * pp, np.inf, size)  # no step where the two can't be told apart
        speed = np.clip(speed + (s * pp - p * sp) / size, 0, np.pi)
        phase = phase + (p * ss - s * sp) / size
    # A column that stands still is the cosine of a slow hand if it stands at the top, else it is dead.
    alive = (np.ptp(c, axis=0) > 0) | (np.abs(c[0]) >= 1 - TOLERANCE)
    fits = alive & (np.abs(c - np.sin(speed * index + phase)).max(axis=0) <= TOLERANCE)
    return _Waves(np.where(fits, speed, np.nan), np.where(fits, phase - speed * start, np.nan), len(c))


def _unequal(waves: _Waves, ones: Columns, others: Columns) -> NDArray[np.int64]:
    """Pairs of waves, ``(wrong, 2)``, that differ in speed or are not a quarter of a turn apart."""
    apart = np.cos(waves.phase[ones] - waves.phase[others])
    wrong = ~_alike(waves.speed[ones], waves.speed[others], waves.rows) | (np.abs(apart) > 5 * TOLERANCE)
    return np.stack([ones, others], axis=1)[wrong & ~np.isnan(apart)]


def _alike(one: Floats, other: Floats, rows: int) -> NDArray[np.bool_]:
    """Do two waves stay together for all rows?"""
    return np.abs(one - other) * rows <= 5 * TOLERANCE


def _all_have_partners(waves: _Waves) -> bool:
    """Is there a cosine of the same speed for every sine, wherever it stands?"""
    sines = np.abs(np.sin(waves.phase)) < np.abs(np.cos(waves.phase))
    of_sines, of_cosines = np.sort(waves.speed[sines]), np.sort(waves.speed[~sines])
    return len(of_sines) == len(of_cosines) and bool(_alike(of_sines, of_cosines, waves.rows).all())
