"""What scores share that meet positions in a space of their own: a width split into heads, and a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clockhands.catalogue.layerwise import Seeded, require_seed
from clockhands.catalogue.rules import require_count, require_heads_divide


@dataclass(frozen=True, kw_only=True)
class SplitHeads(Seeded):
    """Learned maps take vectors of ``d_model`` numbers to heads."""

    d_model: int = 32
    num_heads: int = 4

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model", "heads": "num_heads"}
    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)

    def check(self) -> None:
        require_count(self.d_model, "d_model")
        require_heads_divide(self.num_heads, self.d_model)
        require_seed(self.seed)

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.d_model // self.num_heads
