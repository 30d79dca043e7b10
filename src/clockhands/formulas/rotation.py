"""Turning pairs of dimensions: the one operation of the whole rotary family."""

from __future__ import annotations

from clockhands.arrays import Array, as_dtype, namespace_of, real_dtype
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout, require_layout


def angles(positions: Array, inv_freq: Array) -> Array:
    """``position * inv_freq``, ``(*positions.shape, pairs)``, rad.

    Computed in the dtype of ``inv_freq`` (or of floating positions, if that is wider), at least float32.
    float32 angles are off by 0.004 rad at position 131072 (head_dim 128, rope_theta 1e4): past 2^17,
    give ``inv_freq`` in float64.

    >>> import numpy as np
    >>> angles(np.asarray([0, 2]), np.asarray([1.0, 0.5])).tolist()
    [[0.0, 0.0], [2.0, 1.0]]
    """
    dtype = real_dtype(positions, inv_freq)
    return as_dtype(positions, dtype)[..., None] * as_dtype(inv_freq, dtype)


def rotate(x: Array, cos: Array, sin: Array, layout: Layout = "half") -> Array:
    """Turn the first ``2 * pairs`` dimensions of ``x`` pair by pair; the rest passes through untouched.

    x        (..., head_dim)
    cos, sin (..., pairs), broadcast against the leading axes of ``x``; ``2 * pairs <= head_dim``
    layout   ``half`` turns dimensions (i, i + pairs) together (HF Llama, GPT-NeoX);
             ``interleaved`` turns (2i, 2i + 1) (GPT-J, Meta's Llama, RoFormer)

    Calculates in the wider dtype of ``x`` and the table and returns the dtype of ``x``.
    Su et al. 2021 (arXiv 2104.09864), equation 34.

    >>> import numpy as np
    >>> quarter = np.asarray([0.0]), np.asarray([1.0])
    >>> rotate(np.asarray([1.0, 2.0, 9.0]), *quarter).tolist()
    [-2.0, 1.0, 9.0]
    """
    require_layout(layout)
    xp = namespace_of(x, cos)
    pairs = cos.shape[-1]
    if 2 * pairs > x.shape[-1]:
        raise ClockhandsError(
            f"cos has {pairs} pairs and x is {x.shape[-1]} wide, but each pair turns two dimensions: "
            "use fewer pairs",
            f"cos 有 {pairs} 对，而 x 的宽度是 {x.shape[-1]}，但每对要转动两维：请减少对数",
        )
    turned, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
    if layout == "half":  # the whole width at once: strips of half a head are slow to go through
        every_cos, every_sin = xp.concat([cos, cos], axis=-1), xp.concat([-sin, sin], axis=-1)
        both = turned * every_cos + xp.roll(turned, pairs, axis=-1) * every_sin
    else:
        u, v = turned[..., 0::2], turned[..., 1::2]
        both = xp.stack([u * cos - v * sin, v * cos + u * sin], axis=-1)
        both = xp.reshape(both, (*both.shape[:-2], 2 * pairs))
    both = xp.astype(both, x.dtype)
    if 2 * pairs == x.shape[-1]:
        return both
    return xp.concat([both, xp.broadcast_to(rest, (*both.shape[:-1], rest.shape[-1]))], axis=-1)
