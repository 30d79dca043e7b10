"""How far each hand travels: wavelengths, turns within a context length, and which hands finish one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import RADIANS_PER_TOKEN, TOKENS, TURNS, pair_axis
from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text


@dataclass(frozen=True)
class Spectrum:
    """The hands against a context of ``context_length`` tokens; every array is ``(pairs,)``.

    ``speed``       rad / token, as given
    ``wavelength``  tokens for one turn, infinite for a hand that stands still
    ``turns``       turns within the context
    ``finishes``    True where the context holds one full turn or more
    """

    context_length: int
    speed: Labelled
    wavelength: Labelled
    turns: Labelled
    finishes: Labelled

    @property
    def finished(self) -> int:
        """How many hands make a full turn within the context."""
        return int(self.finishes.values.sum())

    @property
    def unfinished(self) -> int:
        """How many hands do not: parts of their dial are never seen within the context."""
        return len(self.finishes.values) - self.finished

    @property
    def shortest(self) -> float:
        """Wavelength of the fastest hand, tokens."""
        return float(self.wavelength.values.min())

    @property
    def longest(self) -> float:
        """Wavelength of the slowest hand, tokens."""
        return float(self.wavelength.values.max())


def spectrum(inv_freq: ArrayLike, context_length: int) -> Spectrum:
    """Wavelengths of the hands and what a context of ``context_length`` tokens shows of them.

    ``inv_freq``: ``(pairs,)``, rad / token, in any order and sign.

    >>> seen = spectrum([1.0, 0.1, 0.01], context_length=100)
    >>> seen.wavelength.values.round(1).tolist(), seen.finished, seen.unfinished
    ([6.3, 62.8, 628.3], 2, 1)
    """
    speed = inputs.speeds(inv_freq)
    length = inputs.count(context_length, Text("the context length", "上下文长度"))
    standing = speed == 0
    wavelength = np.where(standing, np.inf, TURN / np.abs(np.where(standing, 1.0, speed)))
    axes = (pair_axis(len(speed)),)
    return Spectrum(
        length,
        Labelled("speed", Text("angular frequency", "角频率"), speed, axes, RADIANS_PER_TOKEN),
        Labelled("wavelength", Text("wavelength", "波长"), wavelength, axes, TOKENS),
        Labelled(
            "turns",
            Text("turns in the context", "上下文内的圈数"),
            np.abs(speed) * length / TURN,
            axes,
            TURNS,
        ),
        Labelled("finishes", Text("finishes a turn", "转满一圈"), wavelength <= length, axes),
    )
