"""What both KERPLE biases share: two learned numbers for each head, held within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.given import Given
from clockhands.catalogue.rules import require_count, require_heads, require_real, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory

LEAST = 0.01
"""Below it the authors' code doesn't let r1 and r2 fall."""


@dataclass(frozen=True, kw_only=True)
class Kerple(Given):
    """A curve over distance in which r1 and r2 are learned in each head. Subclasses give it as ``curve``.

    Untrained, each is drawn from 0 … its number in ``drawn_up_to``. Give trained ones with ``of([r1, r2])``.
    """

    num_heads: int = 8
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = 2, Text("a row of r1 and a row of r2", "r1 一行，r2 一行")
    bounds: ClassVar[tuple[tuple[float, float], ...]] = ((LEAST, np.inf), (LEAST, np.inf))
    drawn_up_to: ClassVar[tuple[float, float]]
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str | None] = "clockhands.schemes.kerple:KernelBias"

    @classmethod
    def of(cls, rows: Numbers) -> Self:
        """A description of given numbers ``(2, num_heads)``: r1, then r2."""
        numbers = frozen(rows, "rows", *cls.dimensions)
        return cls(num_heads=numbers.shape[1], numbers=numbers)

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_shape(self.numbers, "numbers", (2, self.num_heads))
        for name, row, (least, most) in zip(("r1", "r2"), self.rows(), self.bounds, strict=True):
            require_real(float(row.min()), name, least=least)
            require_real(float(row.max()), name, most=most)

    def rows(self) -> Array:
        """r1 and r2, ``(2, num_heads)``: the given numbers or untrained ones."""
        if self.numbers is not None:
            return self.numbers.values
        drawn = np.random.default_rng(self.seed).uniform(0.0, 1.0, (2, self.num_heads))
        return np.maximum(drawn * np.asarray(self.drawn_up_to)[:, None], LEAST)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        r1, r2 = (formulas.per_head(row, distances) for row in self.rows())
        return self.curve(distances, r1, r2)

    @staticmethod
    def curve(distance: Any, r1: Any, r2: Any) -> Any:
        """The bias at each distance; arrays of any library, which broadcast."""
        raise NotImplementedError
