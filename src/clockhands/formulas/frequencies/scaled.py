"""Longer contexts by slower hands: all alike (linear), or the slow ones more than the fast ones (NTK)."""

from __future__ import annotations

from clockhands.arrays import Array, Number, as_dtype, namespace_of, real_dtype
from clockhands.formulas.frequencies.geometric import at_home, default_inv_freq


def linear_inv_freq(rotary_dim: int, rope_theta: Number = 10000.0, *, factor: Number) -> Array:
    """Every hand ``factor`` times slower, as if positions were divided; ``(rotary_dim/2,)``, rad / token.

    Chen et al. 2023, position interpolation (arXiv 2306.15595), equation 4.

    >>> linear_inv_freq(4, factor=4.0).tolist()
    [0.25, 0.0025]
    """
    speeds = default_inv_freq(rotary_dim, at_home(rope_theta, factor))
    return speeds / as_dtype(factor, speeds.dtype)


def ntk_theta(rotary_dim: int, rope_theta: Number = 10000.0, *, factor: Number) -> Number:
    """The base under which the slowest hand is ``factor`` times slower and the fastest unchanged.

    ``rope_theta * factor ** (d / (d - 2))``; floats in, float out. A single hand, d = 2, turns at 1
    rad / token under any base. bloc97 2023, as published in Peng et al. 2023 (arXiv 2309.00071), section 3.1.

    >>> round(ntk_theta(128, factor=2.0), 2)
    20221.26
    """
    return rope_theta * factor ** (rotary_dim / (rotary_dim - 2)) if rotary_dim > 2 else rope_theta


def ntk_inv_freq(rotary_dim: int, rope_theta: Number = 10000.0, *, factor: Number) -> Array:
    """Frequencies under ``ntk_theta``, ``(rotary_dim/2,)``, rad / token.

    >>> ntk_inv_freq(4, factor=4.0).tolist()
    [1.0, 0.0025]
    """
    return default_inv_freq(rotary_dim, ntk_theta(rotary_dim, rope_theta, factor=factor))


def dynamic_ntk_inv_freq(
    rotary_dim: int,
    rope_theta: Number = 10000.0,
    *,
    factor: Number,
    max_position_embeddings: int,
    length: Number,
) -> Array:
    """NTK whose factor grows with the text: 1 up to the trained length, then in a straight line.

    length  tokens of the text; an array ``(..., 1)`` gives ``(..., rotary_dim/2)``

    At ``length`` T past the trained length L the factor is ``factor * T / L - (factor - 1)``. emozilla
    2023, as published in Peng et al. 2023 (arXiv 2309.00071), appendix B.1.

    >>> dynamic_ntk_inv_freq(4, factor=2.0, max_position_embeddings=8, length=16).round(6).tolist()
    [1.0, 0.003333]
    """
    xp = namespace_of(length, rope_theta)
    trained = max_position_embeddings
    if hasattr(length, "dtype"):
        length = as_dtype(length, real_dtype(length))
        longer = xp.where(length > trained, length, xp.full_like(length, trained))
    else:
        longer = max(length, trained)
    grown = factor * longer / trained - (factor - 1)
    return ntk_inv_freq(rotary_dim, rope_theta, factor=grown)


def by_parts_inv_freq(
    rotary_dim: int,
    rope_theta: Number = 10000.0,
    *,
    factor: Number,
    original_max_position_embeddings: int,
    slow: float,
    fast: float,
) -> Array:
    """Hands that turn often in the trained length stay, hands that turn seldom slow down, between: a blend.

    slow, fast  turns in the trained length: below ``slow`` a hand is ``factor`` times slower, above ``fast``
                it stays; in between the blend is linear in the number of turns

    Returns ``(rotary_dim/2,)``, rad / token. With 1 and 32 it is NTK-by-parts, Peng et al. 2023 (arXiv
    2309.00071), definition 2; with 1 and 4 it is what Llama 3.1 does (arXiv 2407.21783).

    >>> sizes = {"factor": 8.0, "original_max_position_embeddings": 8192, "slow": 1.0, "fast": 4.0}
    >>> [round(float(speed), 8) for speed in by_parts_inv_freq(128, 5e5, **sizes)[29:32]]
    [0.00216657, 0.00137189, 0.00085675]
    """
    speeds = default_inv_freq(rotary_dim, at_home(rope_theta, factor))
    xp = namespace_of(speeds)
    turns = speeds * (original_max_position_embeddings / (2 * xp.pi))
    kept = xp.clip((turns - slow) / (fast - slow), 0.0, 1.0)
    return (1 - kept) * speeds / as_dtype(factor, speeds.dtype) + kept * speeds
