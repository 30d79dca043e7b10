"""What LieRE and ComRoPE share: blocks of each head turned by exponentials of skew matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clockhands import formulas
from clockhands.catalogue.axes import COLUMN, ROW, TIME
from clockhands.catalogue.description import Array
from clockhands.catalogue.layerwise import Seeded, require_seed
from clockhands.catalogue.rules import require_count, require_heads
from clockhands.language import Text

MOST_WIDTH = 2**16
"""Of a head: the speeds of its blocks are then found within a second."""


@dataclass(frozen=True, kw_only=True)
class TurningBlocks(Seeded):
    """Heads are turned by ``exp(sum over axes of position * A_axis)``. Subclasses give the A."""

    num_heads: int = 4
    head_dim: int = 32
    block_dim: int = 4
    num_axes: int = 2

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "heads": "num_heads"}

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.head_dim, "head_dim", least=2, most=MOST_WIDTH)
        require_count(self.block_dim, "block_dim", least=2, even=True)
        require_count(self.num_axes, "num_axes", least=1, most=3)
        require_seed(self.seed)

    @property
    def axes(self) -> tuple[Text, ...]:
        return (TIME, ROW, COLUMN)[-self.num_axes :]

    @property
    def num_kv_heads(self) -> int:
        """Heads with rotations of their own can't share a key head."""
        return self.num_heads

    def generators(self) -> Array:
        """The skew matrices, ``(num_axes, num_heads, blocks, n, n)``, rad / step."""
        raise NotImplementedError

    def inv_freq(self) -> Array:
        return formulas.generator_speeds(self.generators().sum(axis=0)).reshape(-1)
