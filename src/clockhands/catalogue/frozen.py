"""An array that is a value: it can't change, and equal numbers make equal objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class FrozenArray:
    """A private, read-only float64 copy with equality, a hash and a short ``repr``.

    Descriptions hold one's own numbers in it, since dataclasses can't compare bare arrays.

    >>> FrozenArray([1.0, 2.0]) == FrozenArray(np.asarray([1, 2]))
    True
    """

    __slots__ = ("values",)
    values: NDArray[np.float64]

    def __init__(self, values: Any):
        self.values = np.array(values, dtype=np.float64)
        self.values.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenArray) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.values.shape, (self.values + 0.0).tobytes()))  # + 0.0: -0.0 equals 0.0

    def __repr__(self) -> str:
        return f"<{' x '.join(map(str, self.values.shape))} numbers>"
