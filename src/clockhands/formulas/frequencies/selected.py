"""Fewer moving hands: the slowest stopped, slowed out, or rounded to whole turns."""

from __future__ import annotations

from clockhands.arrays import Array, Number, namespace_of
from clockhands.formulas.frequencies.geometric import count_up, default_inv_freq


def proportional_inv_freq(
    head_dim: int, rope_theta: Number = 10000.0, *, partial_rotary_factor: float
) -> Array:
    """The fastest share of a whole head's hands; the others stand still. ``(head_dim/2,)``, rad / token.

    Unlike a partial rotation it keeps the exponents of the whole head, so no hand is slow, and pairs keep
    their places. Barbero et al. 2024, p-RoPE (arXiv 2410.06205), section 6; Gemma 4.

    >>> proportional_inv_freq(8, partial_rotary_factor=0.5).tolist()
    [1.0, 0.1, 0.0, 0.0]
    """
    speeds = default_inv_freq(head_dim, rope_theta)
    moving = int(partial_rotary_factor * head_dim // 2)
    return namespace_of(speeds).where(_numbers(speeds) < moving, speeds, 0.0 * speeds)


def high_frequency_inv_freq(rotary_dim: int, rope_theta: Number = 10000.0, *, context: int) -> Array:
    """Hands that finish a turn within ``context`` tokens; the others stand still. ``(rotary_dim/2,)``.

    Chen et al. 2024, HoPE (arXiv 2410.21216), section 4: components whose wavelength exceeds the trained
    length carry no position.

    >>> high_frequency_inv_freq(8, context=100).tolist()
    [1.0, 0.1, 0.0, 0.0]
    """
    speeds = default_inv_freq(rotary_dim, rope_theta)
    xp = namespace_of(speeds)
    return xp.where(2 * xp.pi / speeds < context, speeds, 0.0 * speeds)


def clipped_inv_freq(
    rotary_dim: int, rope_theta: Number = 10000.0, *, clipped: int, soft: bool = True
) -> Array:
    """The slowest ``clipped`` hands tapered to a standstill by half a cosine, or stopped at once.

    Returns ``(rotary_dim/2,)``, rad / token. The first of the tapered hands keeps its speed, the last
    stands still. Li et al. 2026, clipped RoPE (arXiv 2602.05258).

    >>> clipped_inv_freq(8, clipped=3).round(6).tolist()
    [1.0, 0.1, 0.005, 0.0]
    """
    speeds = default_inv_freq(rotary_dim, rope_theta)
    xp = namespace_of(speeds)
    first = rotary_dim // 2 - clipped
    along = xp.clip((_numbers(speeds) - first) / max(clipped - 1, 1), 0.0, 1.0)
    stopped = _numbers(speeds) >= first
    return speeds * 0.5 * (1 + xp.cos(xp.pi * along)) if soft else xp.where(stopped, 0.0 * speeds, speeds)


def resonance_inv_freq(rotary_dim: int, rope_theta: Number = 10000.0) -> Array:
    """Every wavelength rounded to whole tokens, so hands repeat exactly; ``(rotary_dim/2,)``, rad / token.

    Wang et al. 2024, Resonance RoPE (arXiv 2403.00071), section 4.2.

    >>> import numpy as np
    >>> (2 * np.pi / resonance_inv_freq(8)).round(9).tolist()
    [6.0, 63.0, 628.0, 6283.0]
    """
    speeds = default_inv_freq(rotary_dim, rope_theta)
    xp = namespace_of(speeds)
    return 2 * xp.pi / xp.round(2 * xp.pi / speeds)


def _numbers(speeds: Array) -> Array:
    """0, 1, 2, … one for each hand."""
    return count_up(speeds.shape[-1], speeds)
