"""The codes one thinks of before clock hands, and what can be measured of any code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.neighbours import table_neighbours
from clockhands.demo.described import table

Array = NDArray[np.float64]
Code = Callable[[int], Array]
"""Length of the sentence, tokens -> one row a position, ``(length, width)``."""


def integers(length: int) -> Array:
    """The position itself, one column."""
    return np.arange(length, dtype=np.float64)[:, None]


def fractions(length: int) -> Array:
    """Position divided by the last position: 0 … 1."""
    return integers(length) / max(length - 1, 1)


def binary(length: int) -> Array:
    """Bits of the position, lowest first; seven are enough for 128 positions."""
    bits = max(7, (length - 1).bit_length())
    return ((np.arange(length)[:, None] >> np.arange(bits)) & 1).astype(np.float64)


def hands(length: int) -> Array:
    """The sinusoidal table at its default width."""
    return table("sinusoidal", length)


CODES: Mapping[str, Code] = MappingProxyType(
    {"integer": integers, "fraction": fractions, "binary": binary, "hands": hands}
)


@dataclass(frozen=True)
class Measured:
    """largest    largest absolute number
    nearest      distance of the nearest two positions
    steps        smallest and largest distance of neighbours
    miss         how far off the best single affine map "move on by k" is, largest over positions
    change       how much one position's code changes when the sentence grows
    """

    largest: float
    nearest: float
    steps: tuple[float, float]
    miss: float
    change: float

    def numbers(self) -> tuple[float, ...]:
        """All of them in a row."""
        return (self.largest, self.nearest, *self.steps, self.miss, self.change)


def measured(code: Code, length: int, short: int, probe: int, shift: int) -> Measured:
    """Measure ``code`` over ``length`` positions; ``probe`` is compared with that of a ``short`` sentence."""
    table = code(length)
    steps = table_neighbours(table).distance.values
    apart = np.linalg.norm(table[:, None] - table[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return Measured(
        largest=float(np.abs(table).max()),
        nearest=float(apart.min()),
        steps=(float(steps.min()), float(steps.max())),
        miss=_miss(table, shift),
        change=float(np.linalg.norm(table[probe] - code(short)[probe])),
    )


def _miss(table: Array, shift: int) -> float:
    here = np.column_stack([table[:-shift], np.ones(len(table) - shift)])
    there = table[shift:]
    best = np.linalg.lstsq(here, there, rcond=None)[0]
    return float(np.abs(here @ best - there).max())
