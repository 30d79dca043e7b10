"""What codes of zeros and ones share: a digit a dimension, so many positions and no more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import position_outside, require_count, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@dataclass(frozen=True, kw_only=True)
class Digits(Description):
    """Dimension j holds digit j of a whole position, below ``2^d_model``. Subclasses give ``code``."""

    d_model: int = 32

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str | None] = "clockhands.schemes.codes:CodeTable"

    def check(self) -> None:
        require_count(self.d_model, "d_model")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=2**self.d_model if self.d_model < 62 else None)

    def code(self, positions: AnyArray) -> AnyArray:
        """The digits of whole positions, numpy or torch."""
        raise NotImplementedError

    def table(self, positions: NDArray[Any]) -> Array:
        places = whole_numbers(positions, Text("positions", "位置"))
        last = self.traits.max_position
        outside = places[(places < 0) | (places >= (2**62 if last is None else last))]
        if outside.size:
            raise position_outside(int(outside.flat[0]), 2**62 if last is None else last)
        require_memory(Text("a table", "这张表"), (*places.shape, self.d_model))
        return np.asarray(self.code(places), dtype=np.float64)
