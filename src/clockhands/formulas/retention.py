"""RetNet's decay: what a token weighs shrinks by one fixed factor with every step."""

from __future__ import annotations

import math

from clockhands.arrays import Array, namespace_of, real_dtype


def retention_slopes(num_heads: int) -> Array:
    """``-ln(1 - 2 ** (-5 - h))`` for head h, ``(num_heads,)``, logits / token, numpy float64.

    A weight multiplied by ``gamma ** distance`` is a logit lowered by ``-ln(gamma) * distance``, so the fixed
    decay of RetNet is ALiBi with these slopes. Sun et al. 2023 (arXiv 2307.08621).

    >>> retention_slopes(2).round(6).tolist()
    [0.031749, 0.015748]
    """
    xp = namespace_of()
    return xp.asarray([-math.log1p(-(2.0 ** (-5 - head))) for head in range(num_heads)], dtype=real_dtype())
