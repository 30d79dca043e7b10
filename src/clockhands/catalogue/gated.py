"""What CABLE and FoX share: each token has a gate in each head, and the gate is a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from clockhands.catalogue.description import Array
from clockhands.catalogue.layerwise import Layerwise, require_seed
from clockhands.catalogue.rules import require_count, require_heads
from clockhands.catalogue.untrained import given_or_untrained


@dataclass(frozen=True, kw_only=True)
class Gated(Layerwise):
    """The steps of the tokens after the key up to the query, added up. Subclasses make a step of a gate."""

    d_model: int = 64
    num_heads: int = 8
    seed: int = 0

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model", "heads": "num_heads"}
    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    module: ClassVar[str | None] = "clockhands.schemes.forgetting:SummedSteps"

    def check(self) -> None:
        require_count(self.d_model, "d_model")
        require_heads(self.num_heads)
        require_seed(self.seed)

    def weights(self) -> Array:
        """Of the gates, ``(num_heads, d_model)``, N(0, 0.02); their offsets start at 0."""
        return given_or_untrained(None, self.seed, (self.num_heads, self.d_model))

    def steps(self, gates: Any) -> Any:
        """What a token adds to the bias, logits, from its gate before it is squashed; any array library."""
        raise NotImplementedError
