"""Where tokens are when nobody says: counted after the cached ones, padding left out, documents anew."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands import positions
from clockhands.core.cache import LayerCache, joined_marks
from clockhands.errors import ClockhandsError


def own_positions(
    x: Tensor, valid: Tensor | None, documents: Tensor | None, cache: LayerCache | None
) -> Tensor | None:
    """Positions ``(b or 1, t)`` of tokens ``(b, t, ...)``; None: 0, 1, 2, ...

    valid, documents  marks of these tokens ``(b, t)``; the cache knows those of the earlier ones

    Padding is not counted, and each document starts at 0, so that a row reads as it would alone. Raises
    ClockhandsError for padding and documents at once, where only the caller knows what is meant.
    """
    t, seen = x.shape[1], None if cache is None else cache.tokens
    if seen is not None:
        valid = joined_marks(seen.valid, valid, (seen.length, t), absent=True)
        documents = joined_marks(seen.documents, documents, (seen.length, t), absent=0)
    if valid is not None and documents is not None:
        raise ClockhandsError(
            "positions are needed where both valid and documents are given: pass positions",
            "同时给出 valid 和 documents 时，必须给出位置：请传入 positions",
        )
    if documents is not None:
        return positions.from_documents(documents)[:, -t:]
    if valid is not None:
        return positions.from_mask(valid)[:, -t:]
    if seen is None:
        return None
    return torch.arange(seen.length, seen.length + t, device=x.device)[None]
