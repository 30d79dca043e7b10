"""How fast each hand turns: frequency functions, all returning ``inv_freq`` in rad / token, fastest first."""

from __future__ import annotations

from typing import Literal

from clockhands.arrays import Array, Number, as_dtype, device_of, namespace_of, real_dtype

Exponent = Literal["2i/d", "i/(d/2-1)"]
"""How the sinusoid spaces its hands: as printed in the paper, or so that the slowest is exactly 1/base."""


def default_inv_freq(rotary_dim: int, rope_theta: Number = 10000.0) -> Array:
    """Geometric frequencies ``rope_theta ** (-2i / rotary_dim)``, i = 0 … rotary_dim/2 - 1.

    Returns ``(rotary_dim/2,)``, rad / token. ``rope_theta`` may be a 0-d tensor: gradients flow to it.
    Su et al. 2021 (arXiv 2104.09864), section 3.2.2.

    >>> default_inv_freq(8).round(6).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """
    return sinusoid_inv_freq(rotary_dim, rope_theta)


def sinusoid_inv_freq(width: int, base: Number = 10000.0, exponent: Exponent = "2i/d") -> Array:
    """Frequencies of a sinusoidal table of ``width`` dimensions, ``(ceil(width/2),)``, rad / token.

    ``2i/d`` is Vaswani et al. 2017 (arXiv 1706.03762), section 3.5; ``i/(d/2-1)`` is what
    tensor2tensor, fairseq and Whisper compute. An odd width has one more sine than cosines.
    A single hand turns at 1 rad / token under either exponent.

    >>> sinusoid_inv_freq(8, exponent="i/(d/2-1)").round(6).tolist()
    [1.0, 0.046416, 0.002154, 0.0001]
    """
    pairs = (width + 1) // 2
    steps = width / 2 if exponent == "2i/d" else max(pairs - 1, 1)
    return _geometric(_count_up(pairs, base) / steps, base)


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
    log = _geometric(_count_up(rotary_dim // 2, *home) * (2 / rotary_dim), rope_theta)
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
    along = (_count_up(log_pairs, rope_theta) + first) / max(log_pairs - 1 + first, 1)
    log = _geometric(slowest * along, rope_theta)
    return xp.sort(xp.concat([linear, log]), descending=True)


def layer_theta(layer: int, num_layers: int, first: Number, last: Number) -> Number:
    """The base of layer ``layer`` (0-based) on a geometric path from ``first`` (shallow) to ``last`` (deep).

    ``first > last`` is the reverse path. A single layer has ``first``. Floats in, float out; 0-d tensors
    in, 0-d tensor out.

    >>> [round(layer_theta(layer, 4, 1e3, 1e6)) for layer in range(4)]
    [1000, 10000, 100000, 1000000]
    """
    depth = layer / (num_layers - 1) if num_layers > 1 else 0.0
    return first ** (1 - depth) * last**depth


def _count_up(count: int, *home: Number) -> Array:
    """0 … count-1 in the namespace, dtype and device that ``home`` asks for."""
    xp = namespace_of(*home)
    return xp.arange(count, dtype=real_dtype(*home), device=device_of(*home))


def _geometric(exponents: Array, base: Number) -> Array:
    """``base ** -exponents`` in the dtype of the exponents."""
    return as_dtype(base, exponents.dtype) ** -exponents


def _line(count: int, end: float, *home: Number) -> Array:
    """``count`` numbers from 1 to ``end`` in equal steps; a single one is 1."""
    return 1 - (1 - end) * _count_up(count, *home) / max(count - 1, 1)
