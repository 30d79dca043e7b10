"""Hands on two schedules at once: article A's experiment, and a true mix of bands."""

from __future__ import annotations

from clockhands.arrays import Array, Number, as_dtype, namespace_of
from clockhands.formulas.frequencies.geometric import count_up, geometric


def mixed_inv_freq(
    rotary_dim: int,
    rope_theta: Number = 10000.0,
    *,
    linear_weight: Number = 0.5,
    log_weight: Number = 0.5,
    linear_end: float = 0.01,
) -> Array:
    """The weighted sum of a linear and a geometric schedule, hand by hand; ``(rotary_dim/2,)``, rad / token.

    ``linear_weight * linspace(1, linear_end) + log_weight * default``. It is an average and not a mix of
    bands: with both weights 0.5 no hand is slower than half the linear end, so the slow hands are lost.

    >>> mixed_inv_freq(4).round(6).tolist()
    [1.0, 0.01]
    """
    home = (rope_theta, linear_weight, log_weight)
    linear = _line(rotary_dim // 2, linear_end, *home)
    log = geometric(count_up(rotary_dim // 2, *home) * (2 / rotary_dim), rope_theta)
    return as_dtype(linear_weight, linear.dtype) * linear + as_dtype(log_weight, log.dtype) * log


def banded_inv_freq(
    rotary_dim: int, rope_theta: Number = 10000.0, *, linear_share: float = 0.5, linear_end: float = 0.01
) -> Array:
    """A true mix of bands: some hands linear, the others geometric, merged; ``(rotary_dim/2,)``, rad / token.

    ``linear_share`` of the hands (rounded half up) run from 1 to ``linear_end`` in equal steps. The others
    are geometric and end at the slowest hand of ``default_inv_freq``, so its range is kept; they start one
    step below 1, so no hand is there twice. A share of 0 is ``default_inv_freq``, 1 is a straight line.

    >>> banded_inv_freq(8).round(6).tolist()
    [1.0, 0.031623, 0.01, 0.001]
    """
    pairs = rotary_dim // 2
    linear_pairs = int(pairs * linear_share + 0.5)
    log_pairs = pairs - linear_pairs
    xp = namespace_of(rope_theta)
    linear = _line(linear_pairs, linear_end, rope_theta)
    first = 1 if linear_pairs else 0  # the hand at exponent 0 is the linear band's already
    slowest = (pairs - 1) / pairs
    along = (count_up(log_pairs, rope_theta) + first) / max(log_pairs - 1 + first, 1)
    log = geometric(slowest * along, rope_theta)
    return xp.sort(xp.concat([linear, log]), descending=True)


def _line(count: int, end: float, *home: Number) -> Array:
    """``count`` numbers from 1 to ``end`` in equal steps; a single one is 1."""
    return 1 - (1 - end) * count_up(count, *home) / max(count - 1, 1)
