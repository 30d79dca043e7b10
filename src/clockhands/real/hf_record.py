"""What a cache of transformers must remember for an encoding: where tokens are, what was noted of them."""

from __future__ import annotations

from typing import Any, Self

import torch
from torch import Tensor
from transformers.cache_utils import Cache, DynamicLayer

from clockhands.core.cache import Tokens
from clockhands.errors import ClockhandsError


class Owner:
    """Marks the caches of one swap; a copy of a cache, or of the model, is its own still."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Record(DynamicLayer):
    """Positions and memory of the tokens that one layer of a cache holds, kept as one more layer of it.

    So whatever is done to the cache is done to the record: tokens cropped, beams reordered, rows repeated or
    picked. Keys are ``(b, 1, t, 1 + axes)`` integers, whether the token is no padding and then where it is;
    values ``(b, 1, t, w)``, what ``Encoding.annotate`` said of it, with nothing in it if it says nothing.
    """

    def __init__(self, owner: Owner):
        super().__init__()
        self.owner = owner
        self.note_shape: torch.Size | None = None

    @property
    def length(self) -> int:
        """Tokens remembered."""
        return self.get_seq_length()

    def tokens(self, k: Tensor, v: Tensor) -> Tokens | None:
        """The tokens before those of this call, whose keys and values are ``(b, hk, t, hd)``; None: none."""
        count = k.shape[2]
        if count == 0:
            return None
        assert isinstance(self.keys, Tensor)
        assert isinstance(self.values, Tensor)
        marks, notes = self.keys[:, 0, -count:], self.values[:, 0, -count:]
        valid = marks[..., 0] != 0
        return Tokens(
            k=k,
            v=v,
            places=marks[..., 1:] if marks.shape[-1] > 2 else marks[..., 1],
            memory=None if self.note_shape is None else notes.unflatten(-1, self.note_shape),
            valid=None if valid.all() else valid,
        )

    def add(self, tokens: Tokens, count: int) -> None:
        """Remember the last ``count`` of these tokens."""
        places = tokens.places[:, -count:]
        places = places[..., None] if places.ndim == 2 else places
        valid = torch.ones_like(places[..., :1]) if tokens.valid is None else tokens.valid[:, -count:, None]
        marks = torch.cat((valid.to(places.dtype), places), dim=-1)
        notes = marks[..., :0]
        if tokens.memory is not None:
            self.note_shape = tokens.memory.shape[2:]
            notes = tokens.memory[:, -count:].flatten(2)
        self.update(marks[:, None], notes[:, None])


def record_of(cache: Cache, layer: int, num_layers: int, owner: Owner) -> Record:
    """The record of one layer, which stands behind all layers of the cache; made if the cache is empty.

    Raises ClockhandsError where positions of cached tokens can't be known: the cache was filled without the
    swap, by another one, or is of a kind whose keys are not simply the last tokens.
    """
    while len(cache.layers) < num_layers and cache.layer_class_to_replicate is not None:
        cache.layers.append(cache.layer_class_to_replicate())
    kept = cache.layers[layer] if len(cache.layers) >= num_layers else None
    if not isinstance(kept, DynamicLayer):
        raise ClockhandsError(
            f"the cache is a {type(cache).__name__} of {type(kept).__name__}, whose slots are not simply the "
            "tokens so far: use a DynamicCache (for generate: cache_implementation='dynamic')",
            f"缓存是由 {type(kept).__name__} 组成的 {type(cache).__name__}，它的各格并不就是至今的词元："
            "请用 DynamicCache（在 generate 中写 cache_implementation='dynamic'）",
        )
    while len(cache.layers) < 2 * num_layers:
        cache.layers.append(Record(owner))
    record, seen = cache.layers[num_layers + layer], kept.get_seq_length()
    if seen == 0 and isinstance(record, Record) and record.owner is not owner:
        record = cache.layers[num_layers + layer] = Record(owner)
    if not isinstance(record, Record) or record.owner is not owner or record.length != seen:
        raise ClockhandsError(
            f"the cache holds {seen} tokens that this swap has not seen, so where they are can't be known: "
            "start with an empty cache",
            f"缓存里有 {seen} 个词元不是经过这次替换存入的，无法知道它们的位置：请从空的缓存开始",
        )
    record.is_sliding = kept.is_sliding
    return record
