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

from clockhands.core.back_ends import WHOLE_ROWS, BackEnd, Call, Dense, Sdpa
from clockhands.core.blocked import Blocked
from clockhands.core.cache import LayerCache, Tokens
from clockhands.core.checks import (
    require_back_ends,
    require_cache,
    require_embeddings,
    require_encodings,
    require_factors,
    require_kind,
    require_marks,
    require_positions,
    require_qkv,
    require_states,
    require_tensor,
)
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table
from clockhands.core.flex import FlexAttention
from clockhands.core.once import Once
from clockhands.core.turners import Hooks, Turner
from clockhands.core.visibility import CAUSAL, Visibility
from clockhands.core.wide_bias import WideBias
from clockhands.errors import ClockhandsError
from clockhands.language import Text

BACK_ENDS: tuple[BackEnd, ...] = (
    FlexAttention(), Blocked(Sdpa()), Sdpa(), WideBias(), Blocked(Dense()), Dense(),
)  # fmt: skip
"""Tried in this order; the first that does not refuse computes the call."""
TURNERS: tuple[Turner, ...] = (Hooks(),)
"""The same for turning queries and keys."""


@dataclass(frozen=True)
class Placed:
    """One layer's encoding, with what it says of the tokens of this forward.

    places  ``(b, t[, axes])``
    table   what ``Encoding.table`` returned for them, shared by all layers of this encoding
    alike   whether all rows have the same places, so that a bias by places is the same in all
    once    what one of these layers computed and the others need, too; None: each computes all of it
    """

    encoding: Encoding
    places: Tensor
    table: Table
    alike: bool = False
    once: Once | None = None


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
    that are not integers, and for anything whose kind or shape does not fit.
    """
    require_encodings(encodings)
    require_embeddings(x)
    if positions is None:
        positions = torch.arange(x.shape[1], device=x.device)[None]
    require_tensor(positions, "positions")
    entered: list[Placed] = []
    for encoding in distinct(encodings):
        require_positions(encoding, positions, x)
    # Distances are signed and far positions large: narrow or unsigned integers would wrap around.
    positions = positions.to(x.device, torch.int64)
    for encoding in distinct(encodings):
        places = encoding.place(_on_axes(encoding, positions), tokens, generator)
        x = encoding.embed(x, places)
        table = encoding.table(places)
        every = places.expand(x.shape[0], *places.shape[1:])
        entered.append(Placed(encoding, every, table, alike=places.shape[0] == 1, once=Once()))
    by_layer = [next(p for p in entered if p.encoding is encoding) for encoding in encodings]
    return x, tuple(by_layer)


def part_of(placed: Placed, rows: slice) -> Placed:
    """What it says of some rows of the batch."""

    def cut(part: Tensor) -> Tensor:
        return part if part.shape[0] == 1 else part[rows]

    table = placed.table
    if table is not None:
        table = cut(table) if isinstance(table, Tensor) else tuple(map(cut, table))
    return replace(placed, places=placed.places[rows], table=table)


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
    turners: Sequence[Turner] = TURNERS,
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
    turners     the same for turning q and k
    want_weights  also return the weights; the dense back end computes then

    Raises ClockhandsError if kinds or shapes don't fit together, or no back end fits.
    """
    call, tokens = _call(placed, q, k, v, visibility, x, cache, scale, dropout, want_weights, turners, True)
    back_end, refused = _choose(call, back_ends)
    if back_end is None:
        en = "; ".join(f"{name}: {reason.en}" for name, reason in refused)
        zh = "；".join(f"{name}：{reason.zh}" for name, reason in refused)
        raise ClockhandsError(
            f"no back end computes this call ({en}): add Dense() to back_ends",
            f"没有后端能完成这次计算（{zh}）：请在 back_ends 中加入 Dense()",
        )
    output, weights = back_end.run(call if isinstance(back_end, Blocked) else call.prepared())
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
    call, _ = _call(placed, q, k, v, visibility, x, cache, scale, dropout, want_weights, TURNERS, False)
    back_end, refused = _choose(call, back_ends)
    return Choice("none" if back_end is None else back_end.name, refused)


def _choose(call: Call, back_ends: Sequence[BackEnd]) -> tuple[BackEnd | None, tuple[tuple[str, Text], ...]]:
    """The first back end that does not refuse the call, or None, and why those before it do."""
    require_back_ends(back_ends)
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
    turners: Sequence[Turner],
    stay: bool,
) -> tuple[Call, Tokens]:
    """The call with queries and keys turned and earlier tokens in front, and what the cache is to hold.

    stay  whether it will hold them
    """
    require_kind(
        placed,
        Placed,
        "placed",
        Text("give what `enter` returned for the layer", "请给出 enter 为该层返回的值"),
    )
    encoding, places, table, once = placed.encoding, placed.places, placed.table, placed.once or Once()
    require_qkv(q, k, v, places)
    require_marks(visibility, places)
    require_factors(scale, dropout)
    if cache is not None:
        require_cache(cache, q.shape[0])
    # Earlier keys turn anew where angles change with the length, or where a cache holds them unturned.
    late = encoding.traits.length_dependent or (cache is not None and not cache.turned)
    memory = None
    if encoding.overrides("annotate"):
        memory = encoding.annotate(require_states(x, encoding))
    factor = (q.shape[-1] ** -0.5 if scale is None else scale) * encoding.score_scale
    if not late:
        q, k = _turner(encoding, q, k, table, turners).run(encoding, q, k, table, once)
    new = Tokens(k, v, places, memory, visibility.valid, visibility.documents)
    tokens = new if cache is None else cache.grown(new) if stay else cache.extended(new)
    keys = tokens.k
    if late:
        table = encoding.table(tokens.places)
        q, keys = encoding.queries(q, _last(table, q.shape[2])), encoding.keys(keys, table)
    rows = 1 if _one_bias(placed, tokens, visibility, cache) else places.shape[0]
    ctx = Context(
        q_places=places[:rows],
        k_places=tokens.places[:rows],
        visibility=replace(visibility, valid=tokens.valid, documents=tokens.documents),
        memory=tokens.memory,
        scale=factor,
        num_heads=q.shape[1],
        num_kv_heads=k.shape[1],
        dtype=torch.promote_types(q.dtype, torch.float32),
    )
    return Call(encoding, q, keys, tokens.v, ctx, dropout, want_weights, once), tokens


def _turner(encoding: Encoding, q: Tensor, k: Tensor, table: Table, turners: Sequence[Turner]) -> Turner:
    for turner in turners:
        if turner.refusal(encoding, q, k, table) is None:
            return turner
    raise ClockhandsError(
        f"none of the turners turns queries and keys of {encoding.id}: add Hooks() to turners",
        f"turners 中没有一个能旋转 {encoding.id} 的查询和键：请在 turners 中加入 Hooks()",
    )


def _one_bias(placed: Placed, tokens: Tokens, visibility: Visibility, cache: LayerCache | None) -> bool:
    """Whether all rows have one bias, which is then computed once: it knows of nothing but equal places."""
    rowwise = visibility.reads_tokens or tokens.memory is not None or cache is not None
    whole = any(placed.encoding.overrides(hook) for hook in WHOLE_ROWS)
    return placed.alike and placed.encoding.overrides("bias_at") and not rowwise and not whole


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
