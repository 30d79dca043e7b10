"""The random numbers that the page draws from a seed: sentences and pictures speak of the same ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_WORD = 0xFFFFFFFF


def normals(count: int, seed: int) -> NDArray[np.float64]:
    """``count`` numbers of N(0, 1), by Box and Muller from Mulberry32: web/src/math/random.ts, restated.

    >>> normals(2, 0).round(3).tolist()
    [0.787, 0.002]
    """
    state = (seed * 0x9E3779B1) & _WORD
    drawn: list[float] = []
    for _ in range(count + count % 2):
        state = (state + 0x6D2B79F5) & _WORD
        mixed = ((state ^ (state >> 15)) * (state | 1)) & _WORD
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & _WORD
        drawn.append((mixed ^ (mixed >> 14)) / 2**32)
    values: list[float] = []
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        radius, angle = math.sqrt(-2 * math.log(1 - one)), 2 * math.pi * other
        values += [radius * math.cos(angle), radius * math.sin(angle)]
    return np.array(values[:count])
