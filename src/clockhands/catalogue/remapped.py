"""What all remaps share: RoPE's hands, and a distance of their own for each query and key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_choice, require_count, whole_numbers
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.formulas.remaps import Leg, effective_distance
from clockhands.language import Text

POSITIONS = Text("positions", "位置")


@dataclass(frozen=True, kw_only=True)
class Remapped(Description):
    """RoPE whose rotation is given ``distance_map`` in place of query position - key position.

    A subclass gives ``legs``. Nothing is trained: a remap is put on a model that was trained with RoPE.
    """

    head_dim: int = 32
    rope_theta: float = 10000.0
    layout: Layout = "half"

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta"}
    module: ClassVar[str | None] = "clockhands.schemes.remapped:RemappedRotation"

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2, even=True)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))

    def hands(self) -> Array:
        """Angular speed of each hand of the RoPE below, ``(head_dim / 2,)``, rad / token, float64."""
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        """The remap at integer positions ``(..., tq)`` and ``(..., tk)``, numpy or torch."""
        raise NotImplementedError

    def distance_map(self, queries: NDArray[Any], keys: NDArray[Any]) -> Array:
        rows, columns = whole_numbers(queries, POSITIONS), whole_numbers(keys, POSITIONS)
        return np.asarray(effective_distance(self.legs(rows, columns)), dtype=np.float64)


def require_less(name: str, value: int, than: str, limit: int) -> None:
    """Refuse a parameter that must stay below another."""
    if value >= limit:
        raise ClockhandsError(
            f"{name} is {value}, but it must be less than {than}, {limit}: make one smaller or one larger",
            f"{name} 为 {value}，但它必须小于 {than}（{limit}）：请把前者改小，或把后者改大",
        )
