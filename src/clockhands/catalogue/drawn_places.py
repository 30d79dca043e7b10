"""What sinusoids share whose places are drawn while training: the code itself stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import real_positions, require_base, require_count
from clockhands.language import Text
from clockhands.memory import require_memory


@dataclass(frozen=True, kw_only=True)
class DrawnPlaces(Description):
    """The sinusoid at places that only training changes; here, at the positions themselves."""

    d_model: int = 32
    base: float = 10000.0

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}

    def check(self) -> None:
        require_count(self.d_model, "d_model")
        require_base(self.base, "base")

    def inv_freq(self) -> Array:
        return formulas.sinusoid_inv_freq(self.d_model, float(self.base), "2i/d")

    def table(self, positions: NDArray[Any]) -> Array:
        places = real_positions(positions)
        require_memory(Text("a table", "这张表"), (*places.shape, self.d_model))
        return formulas.sinusoid(places, self.inv_freq(), width=self.d_model)
