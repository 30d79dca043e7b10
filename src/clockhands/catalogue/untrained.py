"""Numbers that training sets, before there was any training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.frozen import FrozenArray


def given_or_untrained(numbers: FrozenArray | None, seed: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The numbers given, or N(0, 0.02) in ``shape``: what training starts from; a seed is always the same.

    >>> given_or_untrained(None, 0, (2, 3)).shape
    (2, 3)
    """
    return np.random.default_rng(seed).normal(0.0, 0.02, shape) if numbers is None else numbers.values


def untrained_tables(seed: int, *shapes: tuple[int, ...]) -> tuple[NDArray[np.float64], ...]:
    """An array N(0, 0.02) for each shape, all from one seed.

    >>> [table.shape for table in untrained_tables(0, (2, 3), (4,))]
    [(2, 3), (4,)]
    """
    random = np.random.default_rng(seed)
    return tuple(random.normal(0.0, 0.02, shape) for shape in shapes)
