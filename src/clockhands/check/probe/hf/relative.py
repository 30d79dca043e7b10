"""Relative vectors: biases that depend on what queries or keys hold, told apart by which of the two they
read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from clockhands.check.form import Family
from clockhands.check.probe.hf.feed import ROWS

QUERY, KEY = 9, 4
"""Places of the only tokens that hold anything, in texts that hold one of them, the other, or both."""


def sparse(hidden: Tensor) -> Tensor:
    """Texts that are zero everywhere; but at ``QUERY`` in texts 1 and 3, and at ``KEY`` in texts 2 and 3."""
    generator = torch.Generator().manual_seed(3)
    a, b = torch.randn(2, hidden.shape[-1], generator=generator, dtype=torch.float64).to(hidden.dtype)
    out = torch.zeros_like(hidden)
    if hidden.ndim != 3:
        return out
    texts = out if hidden.shape[0] == ROWS else out.transpose(0, 1)
    if texts.shape[1] <= QUERY:  # tokens that were pooled
        return out
    texts[1, QUERY] = texts[3, QUERY] = a
    texts[2, KEY] = texts[3, KEY] = b
    return out


@dataclass(frozen=True)
class Relative:
    """Which of the families, and what scores are multiplied by."""

    family: Family
    scale: float | None


def relative(logits: np.ndarray, products: np.ndarray) -> Relative:
    """Scores and products of queries and keys ``(b, h, t, t)`` of the texts of ``sparse`` -> their family.

    What is left without content is Transformer-XL's ``v . r``; what changes with distance and with a query's
    content alone is Shaw's; with a key's, DeBERTa's.
    """
    logits = np.where(np.isfinite(logits) & (np.abs(logits) < 1e4), logits, np.nan)
    both = logits[3] - logits[1] - logits[2] + logits[0]
    pure = products[3] - products[1] - products[2] + products[0]
    top = float(np.abs(pure[:, QUERY, KEY]).max())
    scale = (
        float((both[:, QUERY, KEY] @ pure[:, QUERY, KEY]) / (pure[:, QUERY, KEY] @ pure[:, QUERY, KEY]))
        if top
        else None
    )
    empty = _varies(logits[0])
    by_query = _varies((logits[1] - logits[0])[:, QUERY, :KEY][:, None])
    by_key = _varies((logits[2] - logits[0])[:, QUERY:, KEY][:, None])
    if empty:
        return Relative("transformer_xl" if by_query else "other", scale)
    if by_key:
        return Relative("deberta", scale)
    return Relative("shaw" if by_query else "none", scale)


def _varies(each: np.ndarray) -> bool:
    """Whether anything but what a whole row shares is in ``(h, rows, n)``."""
    with np.errstate(all="ignore"):
        rows = np.nanmax(each, -1) - np.nanmin(each, -1)
    return bool(np.nanmax(rows) > 1e-9 * max(1.0, float(np.nanmax(np.abs(each)))))
