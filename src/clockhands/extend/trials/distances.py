"""Remapped distances in a model of transformers: each leg turned on from where the model left its heads.

A model gives queries and keys turned by their positions. Turned on by the place of a leg minus the position,
they stand as the leg has them; where places are positions nothing is turned, so near tokens are scored by the
model's own numbers. Logits are made for some queries at a time and never held for n x n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from clockhands import formulas
from clockhands.catalogue.remapped import Remapped
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout

NAME = "clockhands-distances"
"""What the interfaces know it as; with ``_`` it is the keyword that carries the legs."""
KEYWORD = "clockhands_distances"

ROWS = 128
"""Queries at a time, and keys that one mask is made for."""
CHANGES = ("softcap", "s_aux", "position_bias")
"""Keywords by which a model asks for an attention that is not the softmax of its scores."""


@dataclass(frozen=True)
class Piece:
    """Keys ``start`` to ``stop`` for one block of queries, and the legs that some of them are on.

    masks  ``(rows, stop - start)`` where each leg holds; None: everywhere
    """

    start: int
    stop: int
    legs: tuple[int, ...]
    masks: tuple[Tensor | None, ...]


@dataclass(frozen=True)
class Turn:
    """What turns heads on to one leg: cos and sin ``(n, pairs)``; None: they stand right already."""

    queries: tuple[Tensor, Tensor] | None
    keys: tuple[Tensor, Tensor] | None


@dataclass(frozen=True)
class Distances:
    """A remap of ``length`` tokens, laid out in blocks of queries.

    first   dimension of a head at which the turning ones begin
    """

    length: int
    turns: tuple[Turn, ...]
    blocks: tuple[tuple[Piece, ...], ...]
    layout: Layout
    first: int
    width: int

    @classmethod
    def of(
        cls, remap: Remapped, speeds: Tensor, length: int, *, layout: Layout, first: int = 0, rows: int = ROWS
    ) -> Distances:
        """speeds  rad / token of the model's own hands, ``(pairs,)``; they say the device, too."""
        device = speeds.device
        at = torch.arange(length, device=device)
        # Places of queries and of keys hang on their own positions alone: one of the others is enough.
        of_queries, of_keys = remap.legs(at, at[:1]), remap.legs(at[:1], at)
        turns = tuple(
            Turn(_turn(here.queries * here.unit - at, speeds), _turn(there.keys * there.unit - at, speeds))
            for here, there in zip(of_queries, of_keys, strict=True)
        )
        starts = range(0, length, rows)
        blocks = tuple(_pieces(remap, at, start, min(start + rows, length), rows) for start in starts)
        return cls(length, turns, blocks, layout, first, 2 * len(speeds))

    def attend(self, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        """``(b, h, n, hd)`` and ``(b, hk, n, hd)``, turned by positions -> ``(b, h, n, hd)``, causal."""
        batch, heads, length, width = q.shape
        if length != self.length:
            raise ClockhandsError(
                f"a window has {length} tokens, and distances were laid out for {self.length}",
                f"窗口有 {length} 个词元，而距离是按 {self.length} 个安排的",
            )
        groups = heads // k.shape[1]
        queries = [self._turned(q, turn.queries) * scale for turn in self.turns]
        keys = [self._turned(k, turn.keys).transpose(-1, -2) for turn in self.turns]
        out = torch.empty_like(q)
        rows = self.blocks[0][-1].stop
        for index, pieces in enumerate(self.blocks):
            start, stop = index * rows, min((index + 1) * rows, length)
            blocks = [_grouped(each[:, :, start:stop], groups) for each in queries]
            scores = q.new_empty(batch, k.shape[1], groups * (stop - start), stop)
            for piece in pieces:
                scores[..., piece.start : piece.stop] = _scored(blocks, keys, piece, groups)
            weights = scores.softmax(-1, dtype=torch.promote_types(q.dtype, torch.float32)).to(v.dtype)
            mixed = weights @ v[:, :, :stop]
            out[:, :, start:stop] = mixed.view(batch, heads, stop - start, width)
        return out

    def _turned(self, x: Tensor, turn: tuple[Tensor, Tensor] | None) -> Tensor:
        if turn is None:
            return x
        dtype = torch.promote_types(x.dtype, torch.float32)
        cos, sin = (each.to(dtype) for each in turn)
        before, part, after = x.split((self.first, self.width, x.shape[-1] - self.first - self.width), -1)
        return torch.cat((before, formulas.rotate(part, cos, sin, self.layout), after), -1)


def _turn(onward: Tensor, speeds: Tensor) -> tuple[Tensor, Tensor] | None:
    """By so many tokens, ``(n,)``."""
    if not onward.any():
        return None
    angle = formulas.angles(onward, speeds.double())
    return angle.cos(), angle.sin()


def _pieces(remap: Remapped, at: Tensor, start: int, stop: int, rows: int) -> tuple[Piece, ...]:
    """Runs of keys that all queries of a block see on the same leg, and tiles where they differ."""
    found: list[Piece] = []
    legs = remap.legs(at[start:stop], at[:stop])
    seen = at[start:stop, None] >= at[None, :stop]
    holds = [leg.holds & seen for leg in legs]
    for first in range(0, stop, rows):
        last = min(first + rows, stop)
        parts = [each[:, first:last] for each in holds]
        on = tuple(index for index, part in enumerate(parts) if part.any())
        masks = tuple(None if parts[index].all() else parts[index].clone() for index in on)
        plain = len(on) == 1 and masks[0] is None
        if plain and found and found[-1].legs == on and found[-1].masks == (None,):
            found[-1] = Piece(found[-1].start, last, on, (None,))
        else:
            found.append(Piece(first, last, on, masks))
    return tuple(found)


def _grouped(q: Tensor, groups: int) -> Tensor:
    """``(b, h, t, hd)`` -> ``(b, hk, groups * t, hd)``: query head h reads key head ``h // groups``."""
    batch, heads, count, width = q.shape
    return q.reshape(batch, heads // groups, groups * count, width)


def _scored(queries: Sequence[Tensor], keys: Sequence[Tensor], piece: Piece, groups: int) -> Tensor:
    scores: Tensor | None = None
    for leg, mask in zip(piece.legs, piece.masks, strict=True):
        part = queries[leg] @ keys[leg][..., piece.start : piece.stop]
        if scores is None:
            scores = part if mask is None else part.masked_fill(~mask.repeat(groups, 1), -torch.inf)
        else:
            assert mask is not None
            scores = torch.where(mask.repeat(groups, 1), part, scores)
    if scores is None:  # a remap that shows these keys to no query
        first = queries[0]
        scores = first.new_full((*first.shape[:3], piece.stop - piece.start), -torch.inf)
    return scores


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any,
    scaling: float | None = None, dropout: float = 0.0, **given: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """What the interface calls: remapped where a hook gave distances, else the model's own attention."""
    distances = given.pop(KEYWORD, None)
    if distances is None:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **given
        )
    asked = [name for name in CHANGES if given.get(name) is not None]
    if asked or attention_mask is not None:
        what = ", ".join(asked) or "a mask"
        raise ClockhandsError(
            f"this model's attention is changed by {what}, which remapped distances don't compute",
            f"这个模型的注意力还受 {what} 影响，改变距离时无法计算",
        )
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    return distances.attend(query, key, value, scale).transpose(1, 2).contiguous(), None


@contextmanager
def at_distances(model: PreTrainedModel, layers: Sequence[int], distances: Distances) -> Iterator[None]:
    """Within it the attention of ``layers`` has remapped distances; afterwards the model is as before."""
    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    before = model.config._attn_implementation
    handles: list[Any] = []

    def hand_on(module: nn.Module, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        return args, {**given, KEYWORD: distances}

    try:
        model.set_attn_implementation(NAME)
        handles = [
            module.register_forward_pre_hook(hand_on, with_kwargs=True)
            for module in attentions_of(model)
            if module.layer_idx in layers
        ]
        yield
    finally:
        for handle in handles:
            handle.remove()
        model.set_attn_implementation(before or "sdpa")


def attentions_of(model: nn.Module) -> list[Any]:
    """The attention of each layer, in order."""
    return [each for each in model.modules() if hasattr(each, "layer_idx") and hasattr(each, "is_causal")]
