"""What all learned tables share: one free row for each place, and a last one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from clockhands.catalogue.card import Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.given import Given
from clockhands.catalogue.rules import position_outside, require_count, whole_numbers
from clockhands.catalogue.untrained import given_or_untrained
from clockhands.language import Text
from clockhands.memory import require_memory


@dataclass(frozen=True, kw_only=True)
class Rows(Given):
    """``E[place]`` for places 0 ... max_positions - 1, N(0, 0.02) until it is trained.

    Give trained numbers with ``of(table)``. Raises ClockhandsError for any other place.
    """

    d_model: int = 32
    max_positions: int = 512
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = 2, Text("one row for each position", "每个位置一行")
    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}

    @classmethod
    def of(cls, table: Numbers, **parameters: Any) -> Self:
        """A description of given numbers ``(rows, width)``: an array or a file."""
        numbers = frozen(table, "table", *cls.dimensions)
        rows, width = numbers.shape
        places = rows - parameters.get("offset", 0)
        return cls(d_model=width, max_positions=places, numbers=numbers, **parameters)

    @property
    def first_row(self) -> int:
        """The row of place 0."""
        return 0

    @property
    def num_rows(self) -> int:
        """Rows of the whole table."""
        return self.first_row + self.max_positions

    def check(self) -> None:
        require_count(self.d_model, "d_model")
        require_count(self.max_positions, "max_positions", most=2**31)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_shape(self.numbers, "numbers", (self.num_rows, self.d_model))
        require_memory(Text("a table", "这张表"), (self.num_rows, self.d_model))

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=self.max_positions)

    @property
    def drawn_shape(self) -> tuple[int, ...]:
        return (self.num_rows, self.d_model) if self.numbers is None else ()

    def weights(self) -> Array:
        """The whole table, ``(num_rows, d_model)``: the given numbers or untrained ones."""
        return given_or_untrained(self.numbers, self.seed, (self.num_rows, self.d_model))

    def table(self, positions: NDArray[Any]) -> Array:
        places = whole_numbers(positions, Text("positions", "位置"))
        outside = places[(places < 0) | (places >= self.max_positions)]
        if outside.size:
            raise position_outside(int(outside.flat[0]), self.max_positions)
        return self.weights()[places + self.first_row]
