"""The shapes in which others pass rotations around: a functional rotary, ONNX, and transformers.

Each turns as ``formulas.rotate`` does. Tables of cosines and sines are ``(..., pairs)``; position ids index
their rows, and negative ones count from the end, as everywhere in these libraries.
"""

from __future__ import annotations

from typing import Any

from clockhands.arrays import (
    Array,
    as_array,
    as_dtype,
    device_of,
    namespace_of,
    require_whole,
    taken,
    whole_array,
)
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.formulas.rotation import angles, rotate


def cos_sin_caches(
    inv_freq: Array, length: int, *, magnitude: float = 1.0, dtype: Any = None
) -> tuple[Array, Array]:
    """cos and sin of positions 0 ... length - 1, ``(length, pairs)`` each, in the library of ``inv_freq``.

    magnitude  multiplies both, e.g. YaRN's attention factor
    dtype      of the result; None: that of ``inv_freq``. Angles are computed in the latter and cast last, so
               give ``inv_freq`` in float64 past 2^17 positions

    >>> import numpy as np
    >>> cos, sin = cos_sin_caches(np.asarray([1.0]), 2)
    >>> sin.round(4).tolist()
    [[0.0], [0.8415]]
    """
    xp = namespace_of(inv_freq)
    angle = angles(xp.arange(length, device=device_of(inv_freq)), inv_freq)
    dtype = angle.dtype if dtype is None else dtype
    return xp.astype(xp.cos(angle) * magnitude, dtype), xp.astype(xp.sin(angle) * magnitude, dtype)


def rotary(
    x: Array, cos: Array, sin: Array, position_ids: Array | None = None, *, interleaved: bool = False
) -> Array:
    """The functional rotary that PyTorch was asked for (pytorch/pytorch pull request 187286).

    x             ``(b, h, t, hd)``
    cos, sin      ``(positions, pairs)`` with ``position_ids``; else what broadcasts against
                  ``(b, h, t, pairs)``
    position_ids  integers ``(b or 1, t)``, rows of cos and sin
    interleaved   pairs are (2i, 2i + 1) instead of (i, i + pairs)

    Fewer pairs than ``hd / 2`` leave the end of each head as it is. Returns the shape and dtype of x. Raises
    ClockhandsError for more pairs, and for position ids that are no rows of cos and sin.

    >>> import numpy as np
    >>> x, quarter = np.asarray([[[[1.0, 2.0]]]]), (np.asarray([[1.0], [0.0]]), np.asarray([[0.0], [1.0]]))
    >>> rotary(x, *quarter, np.asarray([[1]])).tolist()
    [[[[-2.0, 1.0]]]]
    """
    if position_ids is not None:
        cos, sin = (_rows(cache, position_ids)[:, None] for cache in (cos, sin))
    return rotate(x, cos, sin, _layout(interleaved))


def onnx_rotary(
    x: Array,
    cos_cache: Array,
    sin_cache: Array,
    position_ids: Array | None = None,
    *,
    interleaved: bool = False,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Array:
    """ONNX's operator RotaryEmbedding of opset 23, its inputs and attributes (onnx/onnx pull request 6461).

    x           ``(b, h, t, hd)``, or ``(b, t, h * hd)`` with ``num_heads``
    cos_cache, sin_cache  ``(positions, rotary_dim / 2)`` with ``position_ids`` ``(b, t)``, else
                ``(b, t, rotary_dim / 2)``
    rotary_embedding_dim  leading dimensions of each head that turn; 0: all

    Numbers are those of the operator; half-precision inputs are computed in the dtype of x and the caches.
    Raises ClockhandsError where caches don't have ``rotary_dim / 2`` columns or another number of axes,
    where a 3-D x comes without num_heads that divide it, and for position ids that are no rows of the caches.
    """
    x, cos_cache, sin_cache = (
        as_array(x, "x"),
        as_array(cos_cache, "cos_cache"),
        as_array(sin_cache, "sin_cache"),
    )
    xp = namespace_of(x)
    require_whole(num_heads, "num_heads")
    require_whole(rotary_embedding_dim, "rotary_embedding_dim")
    if x.ndim not in (3, 4):
        raise ClockhandsError(
            f"x has shape {tuple(x.shape)}, but it must be (b, h, t, hd) or (b, t, hidden): give it so",
            f"x 的形状是 {tuple(x.shape)}，但它必须是 (b, h, t, hd) 或 (b, t, hidden)：请照此给出",
        )
    if x.ndim == 3 and num_heads == 0:
        raise ClockhandsError(
            f"x has shape {tuple(x.shape)}, that is (b, t, hidden), and num_heads is 0: give num_heads",
            f"x 的形状是 {tuple(x.shape)}，即 (b, t, hidden)，而 num_heads 为 0：请给出 num_heads",
        )
    if x.ndim == 3 and x.shape[-1] % num_heads:
        raise ClockhandsError(
            f"x has {x.shape[-1]} columns, which are not {num_heads} heads of one size: give its num_heads",
            f"x 有 {x.shape[-1]} 列，不能平分给 {num_heads} 个头：请给出它的 num_heads",
        )
    axes = 3 if position_ids is None else 2
    heads = x if x.ndim == 4 else _split(xp, x, num_heads)
    turned = rotary_embedding_dim or heads.shape[-1]
    for name, cache in (("cos_cache", cos_cache), ("sin_cache", sin_cache)):
        if cache.ndim != axes:
            wanted = "(b, t, pairs)" if position_ids is None else "(positions, pairs)"
            raise ClockhandsError(
                f"{name} has shape {tuple(cache.shape)}, but here it must be {wanted}: give it so, "
                "(positions, pairs) only with position_ids",
                f"{name} 的形状是 {tuple(cache.shape)}，但这里必须是 {wanted}："
                "请照此给出；只有给出 position_ids 时才用 (positions, pairs)",
            )
        if 2 * cache.shape[-1] != turned:
            raise ClockhandsError(
                f"{name} has {cache.shape[-1]} columns, but {turned} dimensions turn in pairs: give "
                f"{turned // 2} columns, or another rotary_embedding_dim",
                f"{name} 有 {cache.shape[-1]} 列，而要成对旋转的有 {turned} 维：请给 {turned // 2} 列，"
                "或改用别的 rotary_embedding_dim",
            )
    if position_ids is not None:
        cos_cache, sin_cache = _rows(cos_cache, position_ids), _rows(sin_cache, position_ids)
    made = rotate(heads, cos_cache[:, None], sin_cache[:, None], _layout(interleaved))
    return made if x.ndim == 4 else xp.reshape(xp.permute_dims(made, (0, 2, 1, 3)), x.shape)


def doubled(cache: Array, layout: Layout = "half") -> Array:
    """``(..., pairs)`` -> ``(..., 2 * pairs)``: a number for each dimension, as transformers has it.

    Pair i stands at i and i + pairs (``half``: Llama, GPT-NeoX), or at 2i and 2i + 1 (``interleaved``: GPT-J,
    Cohere).

    >>> import numpy as np
    >>> doubled(np.asarray([1.0, 2.0])).tolist(), doubled(np.asarray([1.0, 2.0]), "interleaved").tolist()
    ([1.0, 2.0, 1.0, 2.0], [1.0, 1.0, 2.0, 2.0])
    """
    xp = namespace_of(cache)
    if layout == "half":
        return xp.concat([cache, cache], axis=-1)
    return xp.reshape(xp.stack([cache, cache], axis=-1), (*cache.shape[:-1], 2 * cache.shape[-1]))


def halved(cache: Array, layout: Layout = "half") -> Array:
    """The way back: ``(..., 2 * pairs)`` -> ``(..., pairs)``; the second number of each pair is dropped."""
    return cache[..., : cache.shape[-1] // 2] if layout == "half" else cache[..., 0::2]


def _rows(cache: Array, position_ids: Array) -> Array:
    """``(positions, pairs)``, ``(b, t)`` -> ``(b, t, pairs)``."""
    position_ids = whole_array(position_ids, "position_ids", axes=2)
    xp = namespace_of(cache)
    index = xp.reshape(as_dtype(position_ids, xp.int64), (-1,))
    rows = taken(cache, index, "position_ids", axis=0)
    return xp.reshape(rows, (*position_ids.shape, cache.shape[-1]))


def _split(xp: Any, x: Array, num_heads: int) -> Array:
    """``(b, t, h * hd)`` -> ``(b, h, t, hd)``."""
    heads = xp.reshape(x, (*x.shape[:2], num_heads, x.shape[2] // num_heads))
    return xp.permute_dims(heads, (0, 2, 1, 3))


def _layout(interleaved: bool) -> Layout:
    return "interleaved" if interleaved else "half"
