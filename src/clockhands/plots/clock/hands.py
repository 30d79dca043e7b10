"""The hands of a clock picture: how fast each turns, and where it stands at a position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import exact_angle, inputs
from clockhands.analysis.axes import RADIANS, TURNS, pair_axis, position_axis
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text

Floats = NDArray[np.float64]

MOST_HANDS = 65_536


@dataclass(frozen=True)
class Hands:
    """Hands in drawing order, the fastest first.

    ``speed``  ``(hands,)`` rad / token, by falling magnitude
    ``pair``   ``(hands,)`` index of each hand in the array it came from
    ``note``   what the picture must say on its face (``untrained, seed 0``), empty if nothing
    """

    speed: Floats
    pair: NDArray[np.intp]
    note: Text = NOTHING

    @property
    def count(self) -> int:
        return len(self.speed)

    @property
    def wavelength(self) -> Floats:
        """Tokens for one turn, ``(hands,)``; infinite for a hand that stands still."""
        magnitude = np.abs(self.speed)
        return np.divide(2 * np.pi, magnitude, out=np.full(self.count, np.inf), where=magnitude > 0)

    @property
    def base(self) -> float | None:
        """The base of a geometric schedule ``base ** (-2i/d)``, ``None`` for speeds of another kind.

        A base of more than three digits is no one's choice but comes from spacing the hands in another way.
        """
        if self.count < 2 or not 0 < self.speed[-1] < self.speed[0]:
            return None
        with np.errstate(over="ignore", divide="ignore"):
            base = float(f"{self.speed[1] ** -self.count:.3g}")
        if not 0 < base < np.inf:
            return None
        exponents = -np.arange(self.count) / self.count
        return base if np.allclose(self.speed, base**exponents, rtol=1e-5, atol=0) else None

    def angle(self, position: float) -> Floats:
        """Clockwise from twelve, ``(hands,)``, rad in [0, 2 pi); exact for positions of billions."""
        return self.angles(np.array([position], dtype=np.float64))[0]

    def angles(self, positions: Floats) -> Floats:
        """``(positions, hands)``, rad in [0, 2 pi)."""
        signed = exact_angle.angles(exact_angle.turns_per_token(self.speed), positions)
        wrapped = np.where(signed < 0, signed + 2 * np.pi, signed)
        return np.where(wrapped >= 2 * np.pi, 0.0, wrapped)  # a tiny negative angle rounds up to a whole turn

    def turns(self, positions: Floats) -> Floats:
        """Turns made since position 0, ``(positions, hands)``."""
        return positions[:, None] * (self.speed / (2 * np.pi))

    def data(self, positions: Floats) -> tuple[Labelled, Labelled]:
        """Angles and turns in the order of the array given, each ``(positions, pairs)``."""
        given = np.argsort(self.pair)
        axes = (position_axis(positions), pair_axis(self.count))
        angle, turns = self.angles(positions)[:, given], self.turns(positions)[:, given]
        return (
            Labelled("angle", Text("angle from twelve", "从十二点起的角度"), angle, axes, RADIANS, self.note),
            Labelled("turns", Text("turns made", "转过的圈数"), turns, axes, TURNS, self.note),
        )


def hands_of(inv_freq: ArrayLike | Labelled) -> Hands:
    """Hands from angular speeds ``(pairs,)``, rad / token: a list, an array, or a labelled one.

    Raises:
        ClockhandsError: not one-dimensional, empty, not finite, or more than ``MOST_HANDS``.

    >>> hands_of([0.01, 1.0]).pair.tolist()
    [1, 0]
    """
    note = inv_freq.note if isinstance(inv_freq, Labelled) else NOTHING
    speed = inputs.speeds(inv_freq.values if isinstance(inv_freq, Labelled) else inv_freq)
    if len(speed) > MOST_HANDS:
        raise ClockhandsError(
            f"{len(speed):,} hands can't be drawn: give at most {MOST_HANDS:,}",
            f"无法画出 {len(speed):,} 根指针：最多 {MOST_HANDS:,} 根",
        )
    order = np.argsort(-np.abs(speed), kind="stable")
    return Hands(speed[order], order, note)
