"""For people who want one thing: an array of positions, rotated queries and keys, caches of cos and sin."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import formulas
from clockhands.arrays import as_array, namespace_of
from clockhands.catalogue import as_description
from clockhands.catalogue.description import Array
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.rules import require_choice, require_count
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.errors import ClockhandsError
from clockhands.formulas import rotation


def position_encoding(max_len: int, d_model: int, **parameters: Any) -> Array:
    """The sinusoidal table ``(max_len, d_model)``, float64 (Vaswani et al. 2017, section 3.5).

    ``parameters`` are those of ``clockhands.describe("sinusoidal")``: base, arrangement, exponent, first.
    Raises ClockhandsError for a size that is not a positive integer.

    >>> position_encoding(2, 4).round(4).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.8415, 0.5403, 0.01, 1.0]]
    """
    require_count(max_len, "max_len")
    return Sinusoidal.with_parameters(d_model=d_model, **parameters).table(np.arange(max_len))


def rotate(x: Any, positions: Any = None, **parameters: Any) -> Any:
    """Turn each pair of the last axis by position times its frequency (Su et al. 2021).

    x          ``(b, t, d)`` or ``(b, t, h, d)``, numpy or torch; the same shape and dtype come back
    positions  integers ``(t,)`` or ``(b, t)``; default 0, 1, 2, ...
    parameters those of ``clockhands.describe("rope")``: rope_theta, layout, partial_rotary_factor

    Angles are computed in float64 (float32 on devices without it); cos and sin are cast last, to float32
    or to x's dtype if that is wider. Raises ClockhandsError for other shapes, numbers that aren't real, an
    odd rotated width, or positions that don't fit x.

    >>> rotate(np.array([[[1.0, 2.0, 3.0, 4.0]]]), positions=np.array([1])).round(4).tolist()
    [[[-1.9841, 1.9599, 2.4624, 4.0198]]]
    """
    x = as_array(x, "x")
    xp = namespace_of(x)
    if not xp.isdtype(x.dtype, "real floating"):
        raise ClockhandsError(
            f"x has the type {x.dtype}: turned numbers are no integers, so give real numbers",
            f"x 的类型是 {x.dtype}：旋转后的数不是整数，请给出实数",
        )
    if x.ndim not in (3, 4):
        raise ClockhandsError(
            f"x has shape {tuple(x.shape)}: give (b, t, d) or (b, t, h, d)",
            f"x 的形状是 {tuple(x.shape)}：请给出 (b, t, d) 或 (b, t, h, d)",
        )
    rope = RoPE.with_parameters(head_dim=x.shape[-1], **parameters)
    return rotation.rotate(x, *_cos_sin(xp, x, positions, rope), layout=rope.layout)


def rotary_caches(rotation: Any, length: int, dtype: str = "float32", **parameters: Any) -> tuple[Any, Any]:
    """cos and sin of positions 0 ... length - 1, ``(length, pairs)`` each, as ONNX and others take them.

    rotation    an id such as ``"yarn"`` with its ``parameters``, a description, or frequencies ``(pairs,)``
                in rad / token, an array of any library, in which the result comes
    dtype       of the result, by name; angles are float64 (in the dtype of an array that is given)

    What multiplies turned queries and keys (YaRN's attention factor) is in them; what only multiplies the
    scores (``softmax_factor()``) can't be. Frequencies that depend on the length are those of this one. Which
    dimensions make a pair is not in them either: pass ``interleaved=`` as the description's ``layout`` says.

    Raises ClockhandsError for a scheme that does more than turn leading dimensions by such frequencies.

    >>> [cache.shape for cache in rotary_caches("rope", 16, head_dim=8)]
    [(16, 4), (16, 4)]
    """
    require_count(length, "length")
    if hasattr(rotation, "ndim") and not parameters:
        xp = namespace_of(as_array(rotation, "rotation"))
        if rotation.ndim != 1 or not xp.isdtype(rotation.dtype, "real floating"):
            raise ClockhandsError(
                f"rotation has shape {tuple(rotation.shape)} and type {rotation.dtype}, but frequencies are "
                "real numbers (pairs,), rad / token: give them so",
                f"rotation 的形状是 {tuple(rotation.shape)}、类型是 {rotation.dtype}，"
                "但频率应为实数 (pairs,)，单位是弧度/词元：请照此给出",
            )
        return formulas.cos_sin_caches(rotation, length, dtype=_dtype_named(dtype, xp))
    scheme = as_description(rotation, **parameters)
    plain = scheme.touches() == ("inv_freq",) and not (scheme.module or scheme.content_hooks or scheme.axes)
    if not plain or getattr(scheme, "rotary_part", "first") != "first":
        name = scheme.card.id
        raise ClockhandsError(
            f"{name} with these parameters does not just turn the first dimensions of a head by one position "
            "times fixed frequencies, so cos and sin can't say it: use clockhands.make",
            f"按这些参数，{name} 并不只是按“位置 × 固定频率”旋转每个头的前几维，cos 和 sin 表达不了它："
            "请用 clockhands.make",
        )
    inv_freq = np.asarray(scheme.inv_freq_at(float(length)))
    named = _dtype_named(dtype, namespace_of(inv_freq))
    return formulas.cos_sin_caches(inv_freq, length, magnitude=scheme.magnitude(), dtype=named)


def _dtype_named(name: str, xp: Any) -> Any:
    known = [each for each in ("float16", "bfloat16", "float32", "float64") if hasattr(xp, each)]
    require_choice(name, "dtype", tuple(known))
    return getattr(xp, name)


def _cos_sin(xp: Any, x: Any, positions: Any, rope: RoPE) -> tuple[Any, Any]:
    """cos and sin of every angle, shaped to broadcast over x: ``(b or 1, t[, 1], pairs)``."""
    device = x.device
    if positions is None:
        positions = xp.arange(x.shape[1], device=device)
    positions = xp.asarray(as_array(positions, "positions"), device=device)
    if positions.shape not in ((x.shape[1],), tuple(x.shape[:2])):
        raise ClockhandsError(
            f"positions have shape {tuple(positions.shape)}: x needs ({x.shape[1]},) or {tuple(x.shape[:2])}",
            f"positions 的形状是 {tuple(positions.shape)}：x 需要 ({x.shape[1]},) 或 {tuple(x.shape[:2])}",
        )
    if not xp.isdtype(positions.dtype, "integral"):
        raise ClockhandsError(
            f"positions have dtype {positions.dtype}: give integers",
            f"positions 的类型是 {positions.dtype}：请给出整数",
        )
    widest = xp.float32 if str(device).startswith("mps") else xp.float64  # Apple's GPUs have no float64
    inv_freq = xp.asarray(rope.inv_freq(), dtype=widest, device=device)
    angles = rotation.angles(positions, inv_freq)
    if positions.ndim == 1:
        angles = angles[None]
    if x.ndim == 4:
        angles = angles[:, :, None, :]
    dtype = xp.result_type(x.dtype, xp.float32)
    return xp.astype(xp.cos(angles), dtype), xp.astype(xp.sin(angles), dtype)
