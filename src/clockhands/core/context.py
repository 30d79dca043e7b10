"""What a scheme may know when logits are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class Context:
    """Everything about one attention call but q, k and v.

    q_places   (b, tq) or (b, tq, axes): where each query token is
    k_places   (b, tk) or (b, tk, axes): where each key token is, cached ones first
    mask       (b or 1, 1, tq, tk) bool, True where a query may look; always dense here
    memory     (b, tk, ...) what ``annotate`` said of each key token, or None
    scale      what multiplies the dot product, the encoding's ``score_scale`` included
    q_start    slot of the first query among the keys (``tk - tq``): causal order is by slot
    num_heads, num_kv_heads
    prepared   what ``prepare`` returned, None before
    """

    q_places: Tensor
    k_places: Tensor
    mask: Tensor
    memory: Tensor | None
    scale: float
    q_start: int
    num_heads: int
    num_kv_heads: int
    prepared: Any = None
