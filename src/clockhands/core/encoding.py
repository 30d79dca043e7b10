"""The contract: one abstract class whose hooks do nothing until a scheme overrides them.

Hooks are a ladder from narrow to general. A scheme overrides the lowest rung that suffices;
``attend`` derives everything else (dense bias, FlexAttention's score_mod, the choice of back end).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from clockhands.catalogue.card import Card, Traits
from clockhands.catalogue.description import Description
from clockhands.core.bias import dense_bias
from clockhands.core.context import Context
from clockhands.core.fixed import FixedTables

HOOKS = (
    "place", "token_width", "embed", "table", "queries", "keys",
    "prepare", "bias_at", "annotate", "logits", "weigh", "mix",
)  # fmt: skip

Table = Tensor | tuple[Tensor, ...] | None
"""What ``table`` returns: tensors ``(b or 1, t, ...)``, so that a part of it is a slice of axis 1."""


class Encoding(FixedTables):
    """A positional encoding as torch sees it. Schemes are final subclasses and set ``card``.

    ``attend`` is the only caller of the hooks. A scheme keeps constants with ``self.fix(name, values)`` and
    trained numbers as parameters; it writes nothing in a hook and remembers nothing between calls.
    """

    card: Card | None = None
    """Names, sources and traits; an experiment may leave it out, a published scheme may not."""
    description: Description | None = None
    """What it was built from, if it was: ``type(encoding)(description)`` builds another."""
    score_scale: float = 1.0
    """Multiplies the dot product beside 1 / sqrt(head_dim), e.g. YaRN's attention factor squared."""
    axes: int | None = None
    """Trailing axes of the positions this scheme reads; None: positions are plain ``(b, t)``."""
    spreads: bool = False
    """Whether plain positions count on every axis, as those of text do in M-RoPE; else they are refused."""
    exceptions: Mapping[str, str] = MappingProxyType({})
    """Laws of ``clockhands.conformance`` that the scheme breaks by design: ``{name of the law: reason}``."""

    @property
    def traits(self) -> Traits:
        """The card's traits; overridden where they depend on parameters (rows of a learned table)."""
        return Traits() if self.card is None else self.card.traits

    @property
    def id(self) -> str:
        """How messages call it: the id on its card, or the name of its class."""
        return type(self).__name__ if self.card is None else self.card.id

    # rung 0: places and hidden state -------------------------------------------------
    def place(self, positions: Tensor, tokens: Tensor | None, generator: torch.Generator | None) -> Tensor:
        """Integer positions ``(b, t[, axes])`` -> places with the same leading shape, integer or float64."""
        return positions

    def token_width(self, d_model: int) -> int:
        """Width the token embedding must have so that ``embed`` returns ``d_model``."""
        return d_model

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        """Token embeddings ``(b, t, token_width)`` -> hidden states ``(b, t, d_model)`` of the same dtype."""
        return x

    # rung 1: queries and keys --------------------------------------------------------
    def table(self, places: Tensor) -> Table:
        """Numbers shared by all layers of one forward, at least float32; None if none are needed."""
        return None

    def queries(self, q: Tensor, table: Table) -> Tensor:
        """``(b, h, tq, hd)`` -> the same shape and dtype; wider heads if those of the keys widen alike."""
        return q

    def keys(self, k: Tensor, table: Table) -> Tensor:
        """``(b, hk, tk, hd)`` -> the same shape and dtype; wider heads if those of the queries do."""
        return k

    # rung 2: a bias, one pointwise formula ---------------------------------------------
    def prepare(self, ctx: Context) -> Any:
        """Whatever ``bias_at`` needs beforehand (sums, gathers); found in ``ctx.prepared``."""
        return None

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
        """Bias of logits (batch b, query head h, query i of this call, key slot j); index-only inside.

        Called on scalars by FlexAttention, and by the dense path on grids of four axes that broadcast: all
        slots, in order.
        Positions are ``ctx.q_places[b, i]`` and ``ctx.k_places[b, j]``, never i and j themselves.
        """
        return None

    # rung 3: content -------------------------------------------------------------------
    def annotate(self, x: Tensor) -> Tensor | None:
        """Hidden states ``(b, t, d_model)`` -> per-token memory ``(b, t, ...)``, cached beside k and v."""
        return None

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        """``(b, h, tq, hd)``, ``(b, h, tk, hd)`` -> ``(b, h, tq, tk)`` before the mask, in ``ctx.dtype``.

        Keys come one per query head. Overridden only by schemes that need whole rows of logits.
        """
        logits = (q.to(ctx.dtype) @ k.to(ctx.dtype).transpose(-1, -2)) * ctx.scale
        bias = dense_bias(self, ctx)
        return logits if bias is None else logits + bias

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        """Logits -> weights of the same shape, 0 wherever ``ctx.mask`` is False: a masked softmax."""
        mask = ctx.mask
        # The lowest number instead of -inf: a row without any visible key would give NaN.
        lowest = torch.finfo(logits.dtype).min
        return logits.masked_fill(~mask, lowest).softmax(-1) * mask

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        """Weights and values ``(b, h, tk, hd)`` -> ``(b, h, tq, hd)``; values come one per query head."""
        return weights @ v.to(weights.dtype)

    # derived ----------------------------------------------------------------------------
    @classmethod
    def overrides(cls, hook: str) -> bool:
        return getattr(cls, hook) is not getattr(Encoding, hook)

    @classmethod
    def touches(cls) -> tuple[str, ...]:
        """Which hooks a scheme really has, in the order of the ladder."""
        return tuple(hook for hook in HOOKS if cls.overrides(hook))
