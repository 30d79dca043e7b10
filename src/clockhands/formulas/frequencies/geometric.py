"""Geometric frequencies: each hand slower than the one before by the same ratio."""

from __future__ import annotations

from typing import Literal, get_args

from clockhands.arrays import Array, Number, as_dtype, device_of, namespace_of, real_dtype, require_word

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
    require_word(exponent, "exponent", get_args(Exponent))
    pairs = (width + 1) // 2
    steps = width / 2 if exponent == "2i/d" else max(pairs - 1, 1)
    return geometric(count_up(pairs, base) / steps, base)


def layer_theta(layer: int, num_layers: int, first: Number, last: Number) -> Number:
    """The base of layer ``layer`` (0-based) on a geometric path from ``first`` (shallow) to ``last`` (deep).

    ``first > last`` is the reverse path. A single layer has ``first``. Floats in, float out; 0-d tensors
    in, 0-d tensor out.

    >>> [round(layer_theta(layer, 4, 1e3, 1e6)) for layer in range(4)]
    [1000, 10000, 100000, 1000000]
    """
    depth = layer / (num_layers - 1) if num_layers > 1 else 0.0
    return first ** (1 - depth) * last**depth


def count_up(count: int, *home: Number) -> Array:
    """0 … count-1 in the namespace, dtype and device that ``home`` asks for."""
    xp = namespace_of(*home)
    return xp.arange(count, dtype=real_dtype(*home), device=device_of(*home))


def at_home(number: Number, *others: Number) -> Number:
    """``number`` as a 0-d array of the library of the first array among ``others``; as it is without any."""
    if hasattr(number, "dtype") or not any(hasattr(other, "dtype") for other in others):
        return number
    return namespace_of(*others).asarray(number, dtype=real_dtype(*others), device=device_of(*others))


def geometric(exponents: Array, base: Number) -> Array:
    """``base ** -exponents`` in the dtype of the exponents."""
    return as_dtype(base, exponents.dtype) ** -exponents
