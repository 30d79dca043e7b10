"""LongRoPE: a divisor for each hand, found by search; one list up to the trained length, one past it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clockhands.arrays import Array, Number, device_of, namespace_of
from clockhands.formulas.frequencies.geometric import at_home, default_inv_freq


def longrope_inv_freq(
    rotary_dim: int,
    rope_theta: Number = 10000.0,
    *,
    short_factor: Sequence[float],
    long_factor: Sequence[float],
    original_max_position_embeddings: int,
    length: Number,
) -> Array:
    """Hand i divided by ``short_factor[i]`` in texts up to the trained length, else by ``long_factor[i]``.

    length  tokens of the text; an array ``(..., 1)`` gives ``(..., rotary_dim/2)``

    Ding et al. 2024 (arXiv 2402.13753), as released with Phi-3.

    >>> sizes = {"short_factor": [1.0, 1.0], "long_factor": [1.0, 4.0], "original_max_position_embeddings": 8}
    >>> [longrope_inv_freq(4, **sizes, length=length).tolist() for length in (8, 9)]
    [[1.0, 0.01], [1.0, 0.0025]]
    """
    if not hasattr(length, "dtype"):
        divisors = long_factor if length > original_max_position_embeddings else short_factor
        speeds = default_inv_freq(rotary_dim, rope_theta)
        return speeds / _like(divisors, speeds)
    speeds = default_inv_freq(rotary_dim, at_home(rope_theta, length))
    short, long = (speeds / _like(divisors, speeds) for divisors in (short_factor, long_factor))
    return namespace_of(length).where(length > original_max_position_embeddings, long, short)


def longrope_attention_factor(factor: float, original_max_position_embeddings: int) -> float:
    """``sqrt(1 + ln(factor) / ln(trained length))``, 1 for a factor of at most 1; on queries and keys each.

    >>> round(longrope_attention_factor(32.0, 4096), 10)
    1.1902380714
    """
    if factor <= 1:
        return 1.0
    return math.sqrt(1 + math.log(factor) / math.log(original_max_position_embeddings))


def _like(divisors: Sequence[float], speeds: Array) -> Array:
    return namespace_of(speeds).asarray([*divisors], dtype=speeds.dtype, device=device_of(speeds))
