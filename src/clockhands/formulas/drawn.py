"""Where training puts tokens, from numbers drawn uniformly from 0 to 1: each formula says how many it takes.

Positions are ``(b or 1, t)`` integers and ``drawn`` is ``(b, count)``, one row for each text.
"""

from __future__ import annotations

import math

from clockhands.arrays import Array, namespace_of


def shifted_places(positions: Array, drawn: Array, most: int) -> Array:
    """``p + floor((most + 1) u)``, integers; one number a text. Kiyono et al. 2021 (arXiv 2109.05644).

    >>> import numpy as np
    >>> shifted_places(np.asarray([[0, 1]]), np.asarray([[0.5]]), 9).tolist()
    [[5, 6]]
    """
    xp = namespace_of(positions)
    return positions + xp.clip(xp.astype(drawn * (most + 1), xp.int64), max=most)


def sampled_places(positions: Array, drawn: Array, count: int) -> Array:
    """Place p is the p-th smallest slot among those of the ``count`` largest numbers, integers.

    A number is drawn for each place there could be, so that ``count`` of them are a sample without
    replacement.
    Ruoss et al. 2023 (arXiv 2305.16843).

    >>> import numpy as np
    >>> sampled_places(np.asarray([[0, 1]]), np.asarray([[0.1, 0.8, 0.3, 0.9]]), 2).tolist()
    [[1, 3]]
    """
    xp = namespace_of(positions)
    largest = xp.argsort(drawn, axis=-1, descending=True)[..., :count]
    slots = xp.broadcast_to(positions, (drawn.shape[0], positions.shape[-1]))
    return xp.take_along_axis(xp.sort(largest, axis=-1), slots, axis=-1)


def augmented_places(positions: Array, drawn: Array, shift: float, jitter: float, scaling: float) -> Array:
    """``(p + shift a + jitter b_p) * scaling ** c`` with a, b, c from -1 to 1, real numbers.

    ``2 + t`` a text, drawn in this order: a, one b for each token, c.
    Likhomanenko et al. 2021 (arXiv 2106.03143).

    >>> import numpy as np
    >>> augmented_places(np.asarray([[0, 1]]), np.asarray([[1.0, 0.5, 0.0, 1.0]]), 5.0, 0.5, 2.0).tolist()
    [[10.0, 11.0]]
    """
    xp = namespace_of(positions)
    moves = 2 * drawn - 1
    return (positions + moves[:, :1] * shift + moves[:, 1:-1] * jitter) * xp.exp(
        moves[:, -1:] * math.log(scaling)
    )


def offset_places(positions: Array, drawn: Array, rows: int, most: int) -> Array:
    """``p + floor((room + 1) u)`` where p is above 0, and 0 elsewhere, integers; one number a text.

    The room is what lies between the largest place and the last of ``rows``, at most ``most``.
    McLeish et al. 2024 (arXiv 2405.17399), Cho et al. 2024 (arXiv 2405.20671).

    >>> import numpy as np
    >>> offset_places(np.asarray([[0, 1, 2]]), np.asarray([[0.5]]), 7, 99).tolist()
    [[0, 3, 4]]
    """
    xp = namespace_of(positions)
    room = xp.clip(rows - 1 - xp.max(positions, axis=-1, keepdims=True), min=0, max=most)
    moved = positions + xp.minimum(xp.astype(drawn * (room + 1), xp.int64), room)
    return xp.where(positions > 0, moved, positions + 0 * moved)
