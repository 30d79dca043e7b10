"""The contract: one abstract class whose hooks do nothing until a scheme overrides them.

Hooks are a ladder from narrow to general. A scheme overrides the lowest rung that suffices;
``attend`` derives everything else (dense bias, FlexAttention's score_mod, the choice of back end).
"""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor, nn

from clockhands.catalogue.card import Card
from clockhands.core.context import Context

HOOKS = (
    "place", "embed", "table", "queries", "keys",
    "prepare", "bias_at", "annotate", "logits", "weigh", "mix",
)  # fmt: skip


class Encoding(nn.Module):
    """A positional encoding as torch sees it. Schemes are final subclasses."""

    card: ClassVar[Card]
    score_scale: float = 1.0
    axes: int | None = None
    """Trailing axes of the positions this scheme reads; None: positions are plain ``(b, t)``."""

    # rung 0: places and hidden state -------------------------------------------------
    def place(self, positions: Tensor, tokens: Tensor | None, generator: Any) -> Tensor:
        """Integer positions ``(b, t[, axes])`` -> places of the same leading shape."""
        return positions

    def token_width(self, d_model: int) -> int:
        """Width the token embedding must have so that ``embed`` returns ``d_model``."""
        return d_model

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        """Token embeddings ``(b, t, token_width)`` -> hidden states ``(b, t, d_model)``."""
        return x

    # rung 1: queries and keys --------------------------------------------------------
    def table(self, places: Tensor) -> Any:
        """Numbers shared by all layers of one forward, at least float32; None if none are needed."""
        return None

    def queries(self, q: Tensor, table: Any) -> Tensor:
        """``(b, h, tq, hd)`` -> the same shape and dtype."""
        return q

    def keys(self, k: Tensor, table: Any) -> Tensor:
        """``(b, hk, tk, hd)`` -> the same shape and dtype."""
        return k

    # rung 2: a bias, one pointwise formula ---------------------------------------------
    def prepare(self, ctx: Context) -> Any:
        """Whatever ``bias_at`` needs beforehand (sums, gathers); found in ``ctx.prepared``."""
        return None

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        """Bias of logits (batch b, head h, query slot i, key slot j); index-only inside.

        Called on scalars by FlexAttention and on broadcast index grids by the dense path.
        """
        raise NotImplementedError

    # rung 3: content -------------------------------------------------------------------
    def annotate(self, x: Tensor) -> Tensor | None:
        """Per-token memory ``(b, t, ...)``, cached beside k and v."""
        return None

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        """``(b, h, tq, tk)`` before the mask. Overridden only by schemes that need whole rows."""
        raise NotImplementedError

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        """Logits -> weights. The default, a masked softmax, lives in ``attend``."""
        raise NotImplementedError

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        """Weights and values -> ``(b, h, tq, hd)``. The default is ``weights @ v``."""
        raise NotImplementedError

    # derived ----------------------------------------------------------------------------
    @classmethod
    def overrides(cls, hook: str) -> bool:
        return getattr(cls, hook) is not getattr(Encoding, hook)

    @classmethod
    def touches(cls) -> tuple[str, ...]:
        """Which hooks a scheme really has."""
        return tuple(hook for hook in HOOKS if cls.overrides(hook))
