"""Which dimensions make a full turn in training, and how far a larger or smaller base then carries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clockhands.analysis import inputs
from clockhands.errors import ClockhandsError
from clockhands.language import Text


@dataclass(frozen=True)
class Critical:
    """The critical dimension of a head.

    ``dimensions``      how many of ``rotary_dim`` belong to hands that make a full turn in training, even
    ``rotary_dim``      dimensions that turn
    ``trained_length``  tokens
    """

    dimensions: int
    rotary_dim: int
    trained_length: int

    @property
    def pairs(self) -> int:
        return self.dimensions // 2

    def reach(self, rope_theta: float) -> float:
        """Tokens that a model reaches once it is tuned with a larger base: ``2 pi theta ** (d_crit / d)``.

        >>> round(critical_dimension(128, 1e4, 4096).reach(1e6))
        129027
        """
        return 2 * math.pi * _base(rope_theta) ** (self.dimensions / self.rotary_dim)


def critical_dimension(rotary_dim: int, rope_theta: float, trained_length: int) -> Critical:
    """``2 ceil(d / 2 log_theta(L / 2 pi))``, within 0 and d. Liu et al. 2023 (arXiv 2310.05209), section 4.2.

    The rounding is the paper's: hands are counted from 0, so where the logarithm is no whole number it is the
    number of wavelengths up to L (``spectrum(...).finished``).

    >>> critical_dimension(128, 1e4, 4096).dimensions
    92
    """
    width = inputs.count(rotary_dim, Text("rotary_dim", "旋转维度 rotary_dim "), least=2)
    length = inputs.count(trained_length, Text("the trained length", "训练长度"))
    pairs = math.ceil(width / 2 * math.log(length / (2 * math.pi)) / math.log(_base(rope_theta)))
    return Critical(2 * min(max(pairs, 0), width // 2), width, length)


def small_bases(trained_length: int) -> tuple[float, float, float]:
    """Bases under which every hand covers a quarter turn, half a turn, a full turn within training.

    ``2 L / pi``, ``L / pi``, ``L / (2 pi)``: Liu et al. 2023, theorem 1. With the last all dimensions are
    critical.

    >>> [round(base, 1) for base in small_bases(4096)]
    [2607.6, 1303.8, 651.9]
    """
    length = inputs.count(trained_length, Text("the trained length", "训练长度"))
    return 2 * length / math.pi, length / math.pi, length / (2 * math.pi)


def _base(rope_theta: float) -> float:
    base = float(inputs.numbers(rope_theta, Text("rope_theta", "底数 rope_theta ")))
    if not (np.isfinite(base) and base > 1):
        raise ClockhandsError(
            f"rope_theta is {rope_theta}: hands get slower only with a number above 1",
            f"底数 rope_theta 为 {rope_theta}：大于 1 时指针才会一根比一根慢",
        )
    return base
