"""Positions with several axes, as images and videos have them: which hand reads which axis, and how fast."""

from __future__ import annotations

from collections.abc import Sequence

from clockhands.arrays import Array, Number, as_dtype, device_of, namespace_of, real_dtype
from clockhands.formulas.frequencies import default_inv_freq


def axial_inv_freq(widths: Sequence[int], rope_theta: Number = 10000.0) -> Array:
    """Hands of each axis in turn, ``(sum(widths)/2,)``, rad / step: an axis of width d has a RoPE of width d.

    widths  dimensions of the head that each axis turns, even. Equal widths give every axis the same hands
            (Heo et al. 2024, arXiv 2403.13298, "RoPE-Axial"; Qwen2-VL's image tower).

    >>> axial_inv_freq([4, 2], 100.0).tolist()
    [1.0, 0.1, 1.0]
    """
    xp = namespace_of(rope_theta)
    return xp.concat([default_inv_freq(width, rope_theta) for width in widths])


def alternating_inv_freq(rotary_dim: int, rope_theta: Number = 10000.0) -> Array:
    """One schedule dealt out to two axes, ``(rotary_dim/2,)``: even hands for the first, odd for the second.

    So the first axis turns faster than the second, hand by hand. Pixtral's image tower
    (transformers 5.24.0, ``models/pixtral/modeling_pixtral.py``).

    >>> alternating_inv_freq(8).round(3).tolist()
    [1.0, 0.01, 0.1, 0.001]
    """
    whole = default_inv_freq(rotary_dim, rope_theta)
    return namespace_of(rope_theta).concat([whole[0::2], whole[1::2]])


def chunked_axes(sections: Sequence[int]) -> tuple[int, ...]:
    """The axis of each hand where every axis has its hands in one piece.

    Wang et al. 2024 (arXiv 2409.12191); transformers' ``mrope_section``.

    >>> chunked_axes([1, 2, 1])
    (0, 1, 1, 2)
    """
    return tuple(axis for axis, count in enumerate(sections) for _ in range(count))


def interleaved_axes(sections: Sequence[int]) -> tuple[int, ...]:
    """The axis of each hand where axes take turns: 0 1 2 0 1 2 ..., and what is left over goes to axis 0.

    So each axis has fast and slow hands alike. An axis stops when it has as many hands as its section says.
    Bai et al. 2025 (arXiv 2511.21631), Qwen3-VL; transformers 5.24.0,
    ``models/qwen3_vl/modeling_qwen3_vl.py``.

    >>> interleaved_axes([3, 2, 1])
    (0, 1, 2, 0, 1, 0)
    """
    hands = [0] * sum(sections)
    for axis, count in enumerate(sections[1:], start=1):
        for turn in range(count):
            hands[axis + len(sections) * turn] = axis
    return tuple(hands)


def angles_on_axes(positions: Array, inv_freq: Array, pair_axes: Sequence[int] | Array) -> Array:
    """``positions[..., axis of the hand] * inv_freq``, ``(..., pairs)``, rad; see ``angles`` for the dtype.

    positions  (..., axes) integers
    pair_axes  (pairs,) integers, the axis that each hand reads

    >>> import numpy as np
    >>> angles_on_axes(np.asarray([[2, 5]]), np.asarray([1.0, 0.5, 1.0]), (0, 0, 1)).tolist()
    [[2.0, 1.0, 5.0]]
    """
    xp = namespace_of(positions, inv_freq)
    dtype = real_dtype(positions, inv_freq)
    which = xp.asarray(pair_axes, dtype=xp.int64, device=device_of(positions))
    return as_dtype(xp.take(positions, which, axis=-1), dtype) * as_dtype(inv_freq, dtype)


def along_all(positions: Array, speeds: Array) -> Array:
    """``sum over axes of position * speed``, ``(..., *speeds.shape[1:])``: what each axis adds to a hand.

    positions  (..., axes)
    speeds     (axes, ...) rad / step, or generators of a rotation

    >>> import numpy as np
    >>> along_all(np.asarray([2, 5]), np.asarray([[1.0, 0.5], [0.0, -0.1]])).tolist()
    [2.0, 0.5]
    """
    xp = namespace_of(positions, speeds)
    dtype = real_dtype(positions, speeds)
    return xp.tensordot(as_dtype(positions, dtype), as_dtype(speeds, dtype), axes=1)


def mixed_axis_speeds(directions: Array, rotary_dim: int, rope_theta: Number = 10.0) -> Array:
    """Where RoPE-Mixed starts: ``(2, heads, rotary_dim/2)``, rad / step, rows first.

    directions  (heads,) rad: half of a head's hands read the image along this direction from the columns'
                axis, the other half across it

    Speeds are ``rope_theta ** (-4i / rotary_dim)``, i < rotary_dim/4, in each half. Training moves them all.
    Heo et al. 2024 (arXiv 2403.13298), "RoPE-Mixed"; naver-ai/rope-vit at 2df6a96,
    ``self-attn/rope_self_attn.py``.

    >>> import numpy as np
    >>> mixed_axis_speeds(np.asarray([0.0]), 4).round(3).tolist()
    [[[0.0, 1.0]], [[1.0, -0.0]]]
    """
    xp = namespace_of(directions)
    speeds = default_inv_freq(rotary_dim // 2, rope_theta)
    across, along = xp.sin(directions)[:, None], xp.cos(directions)[:, None]
    rows = xp.concat([across * speeds, along * speeds], axis=-1)
    columns = xp.concat([along * speeds, -across * speeds], axis=-1)
    return xp.stack([rows, columns])
