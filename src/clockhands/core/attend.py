"""The one equation of attention, and the only caller of an encoding's hooks.

``enter`` runs once a forward, before the first layer; ``attend`` runs in each layer.

>>> from clockhands.core.encoding import Encoding
>>> nothing = Encoding()
>>> x, (placed,) = enter([nothing], torch.zeros(1, 3, 8))
>>> q = k = v = torch.ones(1, 2, 3, 4)
>>> attend(placed, q, k, v, want_weights=True).weights[0, 0]
tensor([[1.0000, 0.0000, 0.0000],
        [0.5000, 0.5000, 0.0000],
        [0.3333, 0.3333, 0.3333]])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from clockhands.core.back_ends import BackEnd, Call, Dense, Sdpa
from clockhands.core.cache import LayerCache, Tokens
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table
from clockhands.core.flex import FlexAttention
from clockhands.core.visibility import CAUSAL, Visibility
from clockhands.errors import ClockhandsError
from clockhands.language import Text

BACK_ENDS: tuple[BackEnd, ...] = (FlexAttention(), Sdpa(), Dense())
"""Tried in this order; the first that does not refuse computes the call."""


@dataclass(frozen=True)
class Placed:
    """One layer's encoding, with what it says of the tokens of this forward.

    places  ``(b, t[, axes])``
    table   what ``Encoding.table`` returned for them, shared by all layers of this encoding
    """

    encoding: Encoding
    places: Tensor
    table: Table


class Attended(NamedTuple):
    """output ``(b, h, tq, hd)`` in the dtype of q; weights ``(b, h, tq, tk)`` before dropout, or None."""

    output: Tensor
    weights: Tensor | None


class Choice(NamedTuple):
    """Which back end computes a call, and why those before it in the order do not."""

    taken: str
    refused: tuple[tuple[str, Text], ...]

    @property
    def sentence(self) -> Text:
        """One sentence for a person."""
        en = "".join(f"; not {name}: {reason.en}" for name, reason in self.refused)
        zh = "".join(f"；不用 {name}：{reason.zh}" for name, reason in self.refused)
        return Text(f"{self.taken}{en}", f"{self.taken}{zh}")


def distinct(encodings: Sequence[Encoding]) -> tuple[Encoding, ...]:
    """Each encoding once, by identity, in order of first appearance."""
    found: list[Encoding] = []
    for encoding in encodings:
        if not any(encoding is known for known in found):
            found.append(encoding)
    return tuple(found)


def token_width(encodings: Sequence[Encoding], d_model: int) -> int:
    """Width the token embedding must have so that ``enter`` returns ``d_model``."""
    width = d_model
    for encoding in reversed(distinct(encodings)):
        width = encoding.token_width(width)
    return width


def enter(
    encodings: Sequence[Encoding],
    x: Tensor,
    positions: Tensor | None = None,
    *,
    tokens: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, tuple[Placed, ...]]:
    """Places, embeddings and tables, once a forward: ``(hidden states, one Placed a layer)``.

    encodings  one a layer; layers that share an encoding (the same object) share its places and table
    x          ``(b, t, token_width(encodings, d_model))`` token embeddings
    positions  integers ``(b or 1, t)`` or ``(b or 1, t, axes)``; None: 0, 1, 2, … With a cache, give the
               positions that follow the cached ones. An encoding that spreads takes plain ones for all axes
    tokens     ``(b, t)`` token ids, for encodings that read them
    generator  for encodings that draw random places

    Each distinct encoding embeds once, in order of first appearance. Raises ClockhandsError for positions
    that are not integers, or whose shape does not fit.
    """
    if positions is None:
        positions = torch.arange(x.shape[1], device=x.device)[None]
    positions = positions.to(x.device)
    entered: list[Placed] = []
    for encoding in distinct(encodings):
        _check_positions(encoding, positions, x)
    # Distances are signed and far positions large: narrow or unsigned integers would wrap around.
    positions = positions.to(x.device, torch.int64)
    for encoding in distinct(encodings):
        places = encoding.place(_on_axes(encoding, positions), tokens, generator)
        x = encoding.embed(x, places)
        table = encoding.table(places)
        entered.append(Placed(encoding, places.expand(x.shape[0], *places.shape[1:]), table))
    by_layer = [next(p for p in entered if p.encoding is encoding) for encoding in encodings]
    return x, tuple(by_layer)


def attend(
    placed: Placed,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    visibility: Visibility = CAUSAL,
    x: Tensor | None = None,
    cache: LayerCache | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
    back_ends: Sequence[BackEnd] = BACK_ENDS,
    want_weights: bool = False,
) -> Attended:
    """Attention of one layer, with positions as ``placed.encoding`` knows them.

    q           ``(b, h, t, hd)``; k, v ``(b, hk, t, hd)`` with hk dividing h (grouped-query attention)
    visibility  which keys a query sees; its tensors speak of these t tokens, the cache knows the earlier ones
    x           hidden states ``(b, t, d_model)``, for encodings that read content (``annotate``)
    cache       earlier tokens of this layer; these tokens are added to it
    scale       multiplies the dot product; None: 1 / sqrt(hd)
    dropout     probability that a weight is dropped; 0 outside training
    back_ends   tried in order, the first that fits computes
    want_weights  also return the weights; the dense back end computes then

    Raises ClockhandsError if shapes don't fit together, or no back end fits.
    """
    call, tokens = _call(placed, q, k, v, visibility, x, cache, scale, dropout, want_weights)
    back_end, refused = _choose(call, back_ends)
    if back_end is None:
        en = "; ".join(f"{name}: {reason.en}" for name, reason in refused)
        zh = "；".join(f"{name}：{reason.zh}" for name, reason in refused)
        raise ClockhandsError(
            f"no back end computes this call ({en}): add Dense() to back_ends",
            f"没有后端能完成这次计算（{zh}）：请在 back_ends 中加入 Dense()",
        )
    output, weights = back_end.run(call)
    if cache is not None:
        cache.tokens = tokens
    return Attended(output, weights)


def explain_back_end(
    placed: Placed,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    visibility: Visibility = CAUSAL,
    x: Tensor | None = None,
    cache: LayerCache | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
    back_ends: Sequence[BackEnd] = BACK_ENDS,
    want_weights: bool = False,
) -> Choice:
    """Which back end ``attend`` would take for the same arguments, and why not the others; computes nothing.

    >>> x, (placed,) = enter([Encoding()], torch.zeros(1, 3, 8))
    >>> q = torch.ones(1, 2, 3, 4)
    >>> explain_back_end(placed, q, q, q, want_weights=True).taken
    'dense'
    """
    call, _ = _call(placed, q, k, v, visibility, x, cache, scale, dropout, want_weights)
    back_end, refused = _choose(call, back_ends)
    return Choice("none" if back_end is None else back_end.name, refused)


def _choose(call: Call, back_ends: Sequence[BackEnd]) -> tuple[BackEnd | None, tuple[tuple[str, Text], ...]]:
    """The first back end that does not refuse the call, or None, and why those before it do."""
    refused: list[tuple[str, Text]] = []
    for back_end in back_ends:
        reason = back_end.refusal(call)
        if reason is None:
            return back_end, tuple(refused)
        refused.append((back_end.name, reason))
    return None, tuple(refused)


def _call(
    placed: Placed,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    visibility: Visibility,
    x: Tensor | None,
    cache: LayerCache | None,
    scale: float | None,
    dropout: float,
    want_weights: bool,
) -> tuple[Call, Tokens]:
    """The call with queries and keys turned and earlier tokens in front, and what the cache is to hold."""
    encoding, places, table = placed.encoding, placed.places, placed.table
    _check_heads(q, k, v, places)
    _check_marks(visibility, places)
    # Earlier keys turn anew where angles change with the length, or where a cache holds them unturned.
    late = encoding.traits.length_dependent or (cache is not None and not cache.turned)
    memory = None
    if encoding.overrides("annotate"):
        memory = encoding.annotate(_needed(x, encoding))
    new = Tokens(
        k if late else encoding.keys(k, table), v, places, memory, visibility.valid, visibility.documents
    )
    tokens = new if cache is None else cache.extended(new)
    keys = tokens.k
    if late:
        table = encoding.table(tokens.places)
        keys = encoding.keys(keys, table)
    ctx = Context(
        q_places=places,
        k_places=tokens.places,
        visibility=replace(visibility, valid=tokens.valid, documents=tokens.documents),
        memory=tokens.memory,
        scale=(q.shape[-1] ** -0.5 if scale is None else scale) * encoding.score_scale,
        num_heads=q.shape[1],
        num_kv_heads=k.shape[1],
        dtype=torch.promote_types(q.dtype, torch.float32),
    )
    ctx = replace(ctx, prepared=encoding.prepare(ctx))
    turned = encoding.queries(q, _last(table, q.shape[2]))
    return Call(encoding, turned, keys, tokens.v, ctx, dropout, want_weights), tokens


def _last(table: Table, num_tokens: int) -> Table:
    """The part of a table that speaks of the last tokens."""
    if isinstance(table, Tensor):
        return table[:, -num_tokens:]
    return None if table is None else tuple(part[:, -num_tokens:] for part in table)


def _on_axes(encoding: Encoding, positions: Tensor) -> Tensor:
    """Plain positions on every axis, for an encoding that spreads them; all others as they are."""
    if encoding.axes is None or not encoding.spreads or positions.ndim != 2:
        return positions
    return positions[..., None].expand(*positions.shape, encoding.axes)


def _check_positions(encoding: Encoding, positions: Tensor, x: Tensor) -> None:
    if positions.dtype.is_floating_point or positions.dtype.is_complex or positions.dtype == torch.bool:
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


def _check_heads(q: Tensor, k: Tensor, v: Tensor, places: Tensor) -> None:
    b, h, t, hd = q.shape
    if k.shape != (b, k.shape[1], t, hd) or v.shape[:3] != k.shape[:3] or h % k.shape[1] != 0:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        raise ClockhandsError(
            f"q, k and v do not fit ({shapes}): give (b, h, t, hd) and twice (b, hk, t, hd), hk dividing h",
            f"q、k、v 的形状不匹配（{shapes}）：应为 (b, h, t, hd) 和两个 (b, hk, t, hd)，且 hk 整除 h",
        )
    if places.shape[:2] != (b, t):
        raise ClockhandsError(
            f"q has (rows, tokens) {(b, t)}, and `enter` saw {tuple(places.shape[:2])}: give both the same",
            f"q 的（行数，词元数）是 {(b, t)}，而 enter 看到 {tuple(places.shape[:2])}：两者应一致",
        )


def _check_marks(visibility: Visibility, places: Tensor) -> None:
    for name, marks in (("valid", visibility.valid), ("documents", visibility.documents)):
        if marks is not None and marks.shape != places.shape[:2]:
            given, wanted = tuple(marks.shape), tuple(places.shape[:2])
            raise ClockhandsError(
                f"{name} has shape {given}: for these tokens it must be {wanted}",
                f"{name} 的形状是 {given}：应与词元一致，为 {wanted}",
            )


def _needed(x: Tensor | None, encoding: Encoding) -> Tensor:
    if x is None:
        raise ClockhandsError(
            f"{encoding.id} reads the hidden states: give attend(..., x=...)",
            f"{encoding.id} 需要读取隐藏状态：请给 attend 传入 x",
        )
    return x
