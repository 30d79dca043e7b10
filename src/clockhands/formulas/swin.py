"""Swin's two position biases inside a window: a table of offsets, and a learned curve over them."""

from __future__ import annotations

from collections.abc import Sequence

from clockhands.arrays import Array, namespace_of


def offset_row(offsets: Sequence[Array], window: int) -> Array:
    """The row of the table for these offsets, 0 … (2 * window - 1) ** axes - 1, integers.

    offsets  one array an axis, query - key coordinate, from ``-(window - 1)`` to ``window - 1``; the last
             axis moves fastest. Liu et al. 2021 (arXiv 2103.14030) and its code

    >>> import numpy as np
    >>> offset_row([np.asarray([-1, 0]), np.asarray([-1, 1])], 2).tolist()
    [0, 5]
    """
    row = offsets[0] + (window - 1)
    for offset in offsets[1:]:
        row = row * (2 * window - 1) + offset + (window - 1)
    return row


def log_offsets(offset: Array, window: int) -> Array:
    """``sign(o) * log2(1 + 8 |o| / (window - 1)) / log2(8)``: offsets on a logarithmic scale, same shape.

    offset  real numbers. The window's edge lies at ``log2(9) / 3``, about 1.06, in training; a larger window
            at inference goes only little further. Liu et al. 2022 (arXiv 2111.09883), normalised as
            in its code (``microsoft/Swin-Transformer`` @055c506, ``models/swin_transformer_v2.py``)

    >>> import numpy as np
    >>> log_offsets(np.asarray([0.0, 7.0, -7.0]), 8).round(6).tolist()
    [0.0, 1.056642, -1.056642]
    """
    xp = namespace_of(offset)
    return xp.sign(offset) * xp.log2(1 + 8 * xp.abs(offset) / (window - 1)) / 3


def bounded(curves: Array) -> Array:
    """``16 * sigmoid(curves)``: Swin-v2's bias stays between 0 and 16, logits.

    >>> import numpy as np
    >>> bounded(np.asarray([0.0, -1000.0])).tolist()
    [8.0, 0.0]
    """
    return 8 + 8 * namespace_of(curves).tanh(curves / 2)
