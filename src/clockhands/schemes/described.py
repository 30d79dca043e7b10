"""What all schemes of the catalogue share: they are built from a description."""

from __future__ import annotations

from clockhands.catalogue.card import Traits
from clockhands.catalogue.description import Description
from clockhands.core.encoding import Encoding


class Described(Encoding):
    """An encoding built from a description, whose card and traits it carries."""

    description: Description

    def __init__(self, description: Description):
        super().__init__()
        self.description = description
        self.card = description.card
        self.axes = len(description.axes) or None
        self.spreads = bool(description.axes)
        self._traits = description.traits  # once: numpy may compute them, which torch.compile can't trace
        self.exceptions = {**type(self).exceptions, **description.exceptions}

    @property
    def traits(self) -> Traits:
        return self._traits

    def extra_repr(self) -> str:
        return repr(self.description)
