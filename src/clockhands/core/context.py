"""What a scheme may know when logits are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from clockhands.core.visibility import Visibility


@dataclass(frozen=True)
class Context:
    """Everything about one attention call but q, k and v.

    q_places   ``(b, tq)`` or ``(b, tq, axes)``: where each query token is; ``b`` is 1 where all rows have
               the same bias
    k_places   ``(b, tk)`` or ``(b, tk, axes)``: where each key token is, cached ones first
    visibility which key a query may look at, cached keys included; see ``mask``
    memory     ``(b, tk, ...)`` what ``annotate`` said of each key token, or None
    scale      what multiplies the dot product, the encoding's ``score_scale`` included
    num_heads  query heads; ``num_kv_heads`` key and value heads
    dtype      in which logits are made: float64 for float64 inputs, else float32
    prepared   what ``prepare`` returned, None before
    first      slot of the first query among the keys; None: the queries are the last tokens
    """

    q_places: Tensor
    k_places: Tensor
    visibility: Visibility
    memory: Tensor | None
    scale: float
    num_heads: int
    num_kv_heads: int
    dtype: torch.dtype
    prepared: Any = None
    first: int | None = None

    @property
    def batch(self) -> int:
        """Rows of the places."""
        return self.q_places.shape[0]

    @property
    def num_queries(self) -> int:
        return self.q_places.shape[1]

    @property
    def num_keys(self) -> int:
        return self.k_places.shape[1]

    @property
    def q_start(self) -> int:
        """Slot of the first query among the keys."""
        return self.num_keys - self.num_queries if self.first is None else self.first

    @property
    def device(self) -> torch.device:
        return self.q_places.device

    @property
    def mask(self) -> Tensor:
        """``(b or 1, 1, tq, tk)`` bool, True where a query may look; made on each access."""
        return self.visibility.mask(self.batch, self.num_queries, self.num_keys, self.device, self.q_start)
