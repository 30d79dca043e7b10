"""What both biases of Swin share: offsets in a window, along one axis or two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clockhands.catalogue.axes import COLUMN, ROW
from clockhands.catalogue.given import Given
from clockhands.catalogue.layerwise import Layerwise, require_seed
from clockhands.catalogue.rules import require_count, require_heads
from clockhands.language import Text


@dataclass(frozen=True, kw_only=True)
class Windowed(Given, Layerwise):
    """A bias of the offset between two places of a window. Subclasses say how it is learned."""

    num_heads: int = 8
    window_size: int = 8
    num_axes: int = 1

    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads", "max_positions": "window_size"}

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.num_axes, "num_axes", most=2)
        require_seed(self.seed)

    @property
    def axes(self) -> tuple[Text, ...]:
        return (ROW, COLUMN) if self.num_axes == 2 else ()
