"""What PaTH and PaTH-FoX share: the sizes of mirrors along the tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clockhands.catalogue.layerwise import Layerwise, require_seed, require_widths
from clockhands.catalogue.rules import require_count
from clockhands.errors import ClockhandsError


@dataclass(frozen=True, kw_only=True)
class Mirrored(Layerwise):
    """Each token mirrors what passes from key to query."""

    d_model: int = 256
    num_heads: int = 8
    num_kv_heads: int | None = None
    rank: int | None = 32
    conv_size: int = 3
    seed: int = 0

    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}

    def check(self) -> None:
        require_widths(self.d_model, self.num_heads)
        if self.num_kv_heads is not None:
            require_count(self.num_kv_heads, "num_kv_heads", most=self.num_heads)
            if self.num_heads % self.num_kv_heads:
                raise ClockhandsError(
                    f"num_kv_heads is {self.num_kv_heads}, which doesn't divide num_heads {self.num_heads}: "
                    "use a divisor of it",
                    f"num_kv_heads 为 {self.num_kv_heads}，不能整除 num_heads（{self.num_heads}）："
                    "请用它的约数",
                )
        if self.rank is not None:
            require_count(self.rank, "rank")
        require_count(self.conv_size, "conv_size", most=64)
        require_seed(self.seed)

    @property
    def head_dim(self) -> int:
        """Width of each head."""
        return self.d_model // self.num_heads

    @property
    def groups(self) -> int:
        """How many heads have mirrors of their own."""
        return self.num_heads if self.num_kv_heads is None else self.num_kv_heads
