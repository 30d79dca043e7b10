"""What may enter attention: each refusal says what was given, which rule it breaks and what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError, shown
from clockhands.language import Text


def require_kind(value: Any, kind: type, name: str, remedy: Text) -> None:
    """``value`` is a ``kind``."""
    if not isinstance(value, kind):
        given = type(value).__name__
        raise ClockhandsError(
            f"{name} is of type {given}, but it must be of type {kind.__name__}: {remedy.en}",
            f"{name} 的类型是 {given}，但它必须是 {kind.__name__}：{remedy.zh}",
        )


def require_tensor(value: Any, name: str) -> None:
    """``value`` is a ``torch.Tensor``."""
    require_kind(value, Tensor, name, Text("use torch.as_tensor", "请用 torch.as_tensor 转换"))


def require_encodings(encodings: Sequence[Any]) -> None:
    """A list or tuple of encodings, one a layer."""
    remedy = Text("give one Encoding for each layer in a list", "请在列表里为每层给出一个 Encoding")
    if not isinstance(encodings, tuple):
        require_kind(encodings, list, "encodings", remedy)
    made = Text("clockhands.make(...) makes one", "可用 clockhands.make(...) 得到")
    for encoding in encodings:
        require_kind(encoding, Encoding, "encodings[i]", made)


def require_embeddings(x: Any) -> None:
    """Real token embeddings ``(b, t, width)``."""
    require_tensor(x, "x")
    if x.ndim != 3 or not x.dtype.is_floating_point:
        raise ClockhandsError(
            f"x has shape {tuple(x.shape)} and type {x.dtype}, but token embeddings are real numbers "
            "(b, t, width): give rows of a batch, tokens, numbers of a token",
            f"x 的形状是 {tuple(x.shape)}、类型是 {x.dtype}，但词嵌入必须是形状为 (b, t, width) 的实数："
            "请依次给出批的行、词元、每个词元的数",
        )


def require_positions(encoding: Encoding, positions: Tensor, x: Tensor) -> None:
    """Integers ``(b or 1, t[, axes])`` for the tokens ``x``; plain ones where the encoding spreads them."""
    if (
        positions.dtype.is_floating_point
        or positions.dtype.is_complex
        or str(positions.dtype) == "torch.bool"
    ):
        raise ClockhandsError(
            f"positions are {positions.dtype}: they must be integers, e.g. torch.int64",
            f"位置的类型是 {positions.dtype}：必须是整数，例如 torch.int64",
        )
    plain = encoding.axes is None or (encoding.spreads and positions.ndim == 2)
    trailing = () if plain else (encoding.axes,)
    fits = positions.shape[1:] == (x.shape[1], *trailing) and positions.shape[:1] in ((1,), x.shape[:1])
    if not fits:
        wanted = ", ".join(str(size) for size in (*x.shape[:2], *trailing))
        raise ClockhandsError(
            f"positions have shape {tuple(positions.shape)}: {encoding.id} needs ({wanted}) for these tokens",
            f"位置的形状是 {tuple(positions.shape)}：对这些词元，{encoding.id} 需要 ({wanted})",
        )


def require_qkv(q: Any, k: Any, v: Any, places: Tensor) -> None:
    """Queries, keys and values that fit one another and the places, in one real dtype."""
    for value, name in ((q, "q"), (k, "k"), (v, "v")):
        require_tensor(value, name)
    b, h, t, hd = q.shape if q.ndim == 4 else (0, 0, 0, 0)
    hk = k.shape[1] if k.ndim == 4 else 0
    if not hk or h % hk or k.shape != (b, hk, t, hd) or v.ndim != 4 or v.shape[:3] != k.shape[:3]:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        raise ClockhandsError(
            f"q, k and v do not fit ({shapes}): give (b, h, t, hd) and twice (b, hk, t, hd), hk dividing h",
            f"q、k、v 的形状不匹配（{shapes}）：应为 (b, h, t, hd) 和两个 (b, hk, t, hd)，且 hk 整除 h",
        )
    if not q.dtype.is_floating_point or k.dtype != q.dtype or v.dtype != q.dtype:
        raise ClockhandsError(
            f"q is {q.dtype}, k {k.dtype} and v {v.dtype}, but all must have one real type: "
            "convert with .to()",
            f"q、k、v 的类型是 {q.dtype}、{k.dtype}、{v.dtype}，但它们必须是同一种实数类型：请用 .to() 转换",
        )
    if places.shape[:2] != (b, t):
        raise ClockhandsError(
            f"q has (rows, tokens) {(b, t)}, and `enter` saw {tuple(places.shape[:2])}: give both the same",
            f"q 的（行数，词元数）是 {(b, t)}，而 enter 看到 {tuple(places.shape[:2])}：两者应一致",
        )


def require_marks(visibility: Any, places: Tensor) -> None:
    """Rules of looking whose marks are those of the tokens."""
    require_kind(
        visibility, Visibility, "visibility", Text("give Visibility(causal=…)", "请给出 Visibility(causal=…)")
    )
    for name, marks in (("valid", visibility.valid), ("documents", visibility.documents)):
        if marks is not None and marks.shape != places.shape[:2]:
            given, wanted = tuple(marks.shape), tuple(places.shape[:2])
            raise ClockhandsError(
                f"{name} has shape {given}: for these tokens it must be {wanted}",
                f"{name} 的形状是 {given}：应与词元一致，为 {wanted}",
            )


def require_cache(cache: Any, rows: int) -> None:
    """The memory of one layer, of as many rows as come now."""
    remedy = Text("of a Cache, give cache[layer]", "如果是 Cache，请给出 cache[layer]")
    require_kind(cache, LayerCache, "cache", remedy)
    if cache.tokens is not None and cache.tokens.k.shape[0] != rows:
        held = cache.tokens.k.shape[0]
        raise ClockhandsError(
            f"the cache holds {held} rows and {rows} come now: use a new cache for another batch",
            f"缓存里有 {held} 行，而现在给出 {rows} 行：换一批数据时请用新的缓存",
        )


def require_factors(scale: Any, dropout: Any) -> None:
    """A real scale (or None), and a share of weights to drop."""
    if scale is not None and not (isinstance(scale, int | float) and math.isfinite(scale)):
        raise ClockhandsError(
            f"scale is {shown(scale)}, but it must be a finite number: leave it out for 1 / sqrt(head_dim)",
            f"scale 为 {shown(scale)}，但它必须是有限的数：省去它就是 1 / sqrt(head_dim)",
        )
    if not (isinstance(dropout, int | float) and 0 <= dropout <= 1):
        raise ClockhandsError(
            f"dropout is {shown(dropout)}, but it must be a number from 0 to 1: use 0 outside training",
            f"dropout 为 {shown(dropout)}，但它必须是 0 到 1 之间的数：不训练时请用 0",
        )


def require_back_ends(back_ends: Sequence[Any]) -> None:
    """Objects that compute calls."""
    for back_end in back_ends:
        if not hasattr(back_end, "refusal"):
            raise ClockhandsError(
                f"back_ends contain {shown(back_end)}, which computes nothing: give objects such as Dense()",
                f"back_ends 里有 {shown(back_end)}，它不能计算：请给出 Dense() 这样的对象",
            )


def require_states(x: Tensor | None, encoding: Encoding) -> Tensor:
    """The hidden states, for an encoding that reads them."""
    if x is None:
        raise ClockhandsError(
            f"{encoding.id} reads the hidden states: give attend(..., x=...)",
            f"{encoding.id} 需要读取隐藏状态：请给 attend 传入 x",
        )
    return x
