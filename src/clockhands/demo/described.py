"""What the catalogue computes, asked for by chapters that know it is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.bias import bias_curves
from clockhands.analysis.labelled import Labelled
from clockhands.catalogue import describe
from clockhands.catalogue.description import Array, Description
from clockhands.demo.speech import untrained


def speeds(scheme: str, **parameters: Any) -> Array:
    """Angular speed of each hand of ``scheme``, ``(pairs,)``, rad / token."""
    return speeds_of(describe(scheme, **parameters))


def speeds_of(description: Description) -> Array:
    """The same of a description, ``(pairs,)``, rad / token."""
    inv_freq = description.inv_freq()
    assert inv_freq is not None, f"{description.card.id} has no hands"
    return inv_freq


def table(scheme: str, positions: Any, **parameters: Any) -> Array:
    """What ``scheme`` adds at ``positions`` (an array, or how many from 0 on), ``(n, width)``."""
    at = np.arange(positions) if isinstance(positions, int) else np.asarray(positions)
    rows = describe(scheme, **parameters).table(at)
    assert rows is not None, f"{scheme} adds no table"
    return rows


def biases(scheme: str, distances: int, **parameters: Any) -> Labelled:
    """What ``scheme`` adds to the scores at the distances 0 ... ``distances - 1``, ``(heads, distances)``."""
    description = describe(scheme, **parameters)

    def bias(distance: NDArray[Any]) -> Array:
        values = description.bias(distance)
        assert values is not None, f"{scheme} has no bias"
        return values

    curves = bias_curves(bias, np.arange(distances))
    seed = description.untrained_seed
    return curves if seed is None else replace(curves, note=untrained(seed))
