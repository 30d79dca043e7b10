"""Relative vectors: biases that depend on what queries or keys hold, told apart by which of the two they
read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from clockhands.check.form import Family
from clockhands.check.probe.hf.bias import HIDDEN, farthest, roundest
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


def various(hidden: Tensor) -> Tensor:
    """Texts of random tokens, none like another."""
    generator = torch.Generator().manual_seed(5)
    return torch.randn(hidden.shape, generator=generator, dtype=torch.float64).to(hidden.dtype)


def linear(bias: np.ndarray, q: np.ndarray) -> bool | None:
    """Whether biases ``(b, h, t, t)`` of one distance are products of the queries ``(b, h, t, hd)`` and one
    vector; None where there are too few to tell.

    A vector of the query's token that another projection made is none of the query's.
    """
    own = np.diagonal(bias, 0, 2, 3)  # (b, h, t): at distance 0, which every query sees
    width = q.shape[-1]
    for head in range(q.shape[1]):
        rows, shown = q[:, head].reshape(-1, width), own[:, head].ravel()
        known = np.isfinite(shown)
        if known.sum() < 2 * width:
            return None
        answer, *_ = np.linalg.lstsq(rows[known], shown[known], rcond=None)
        if np.abs(rows[known] @ answer - shown[known]).max() > 1e-6 * np.abs(shown[known]).max():
            return False
    return True


def sees_ahead(logits: np.ndarray) -> bool:
    """Whether any query sees a later token, by scores ``(b, h, t, t)``."""
    return bool((np.triu((logits > HIDDEN).all((0, 1)), 1)).any())


def settled(bias: np.ndarray) -> int | None:
    """The distance from which on biases of the last query stay as they are; None if they don't.

    They are ``(b, h, t, t)``, NaN where hidden.
    """
    last = bias[:, :, -1, ::-1]
    seen = np.asarray(np.isfinite(last).all((0, 1)))
    count = len(seen) if seen.all() else int(np.argmin(seen))
    if count < len(seen):  # behind a window nothing is seen
        return None
    moving = np.abs(np.diff(last, axis=-1)).max((0, 1)) > 1e-6 * np.abs(last).max()
    far = int(np.flatnonzero(moving)[-1]) + 1 if moving.any() else 0
    return far if 0 < far < count - 2 else None


def in_steps(bias: np.ndarray) -> dict[str, int | None]:
    """Buckets of T5 in which distances behind share a bias ``(b, h, t, t)``; nothing where they don't."""
    last = bias[:, :, -1, ::-1]
    if not np.isfinite(last).all():
        return {}
    moving = np.abs(np.diff(last, axis=-1)).max((0, 1)) > 1e-6 * np.abs(last).max()
    rows = np.concatenate([np.zeros(len(moving) + 1), np.cumsum(moving)]).astype(int)
    rows[: len(moving)] = -1  # ahead nothing is seen
    count = int(rows[-1]) + 1
    far = farthest(rows, count, False) if 4 < count < len(moving) // 2 else ()
    return {"num_buckets": count, "max_distance": roundest(far)} if far else {}


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
