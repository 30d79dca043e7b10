"""Positions of padded batches."""

from __future__ import annotations

from clockhands.arrays import Array, as_array, namespace_of, require_whole


def from_mask(mask: Array) -> Array:
    """Positions that count real tokens only, ``(b, t)`` integers: ``cumsum(mask) - 1``, never below 0.

    mask  (b, t) or (t,), true or 1 where a token is real, false or 0 where it is padding

    With left padding every row then starts at 0 at its first real token, as it would alone.
    Padding before it has position 0, padding after it the position of the last real token.

    >>> import numpy as np
    >>> from_mask(np.asarray([False, False, True, True])).tolist()
    [0, 0, 0, 1]
    """
    mask = as_array(mask, "mask", axes=1)
    xp = namespace_of(mask)
    seen = xp.cumulative_sum(xp.astype(xp.astype(mask, xp.bool), xp.int64), axis=-1)
    return xp.where(seen > 0, seen - 1, xp.zeros_like(seen))


def after_padding_row(mask: Array, padding_idx: int = 1) -> Array:
    """Rows of a table whose row ``padding_idx`` belongs to padding, ``(b, t)``: real ones from the next on.

    mask  as above. RoBERTa, XLM-R, MPNet and Longformer number positions so, with ``padding_idx`` 1: the
          first real token takes row 2. A ``learned`` table with ``offset`` 2 does so from plain positions.

    Liu et al. 2019 (arXiv 1907.11692); transformers 5.24.0, ``RobertaEmbeddings``.

    >>> import numpy as np
    >>> after_padding_row(np.asarray([False, True, True])).tolist()
    [1, 2, 3]
    """
    require_whole(padding_idx, "padding_idx")
    mask = as_array(mask, "mask", axes=1)
    xp = namespace_of(mask)
    counted = from_mask(mask) + 1
    return xp.where(xp.astype(mask, xp.bool), counted, xp.zeros_like(counted)) + int(padding_idx)
