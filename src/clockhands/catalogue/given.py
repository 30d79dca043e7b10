"""What schemes share whose numbers may be given: an array of them, or a seed until there was any training."""

from __future__ import annotations

from typing import ClassVar

from clockhands.catalogue.frozen import FrozenArray, frozen_if_given
from clockhands.catalogue.layerwise import Seeded
from clockhands.language import Text


class Given(Seeded):
    """The trained ``numbers``, a field of each subclass; without them, what is drawn with ``seed``."""

    numbers: FrozenArray | None
    dimensions: ClassVar[tuple[int, Text]]
    """How many dimensions ``numbers`` have, and what they hold, for an error."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", frozen_if_given(self.numbers, "numbers", *self.dimensions))
        super().__post_init__()

    @property
    def untrained_seed(self) -> int | None:
        return self.seed if self.numbers is None else None
