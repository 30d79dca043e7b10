"""Shaw's relative vectors on keys and values."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands.catalogue.shaw import Shaw
from clockhands.core.context import Context
from clockhands.schemes.described import Described
from clockhands.schemes.relative import distances, picked, require_width, trained


@final
class RelativeVectors(Described):
    """Keys and values with a vector for each clipped distance. Shaw et al. 2018 (arXiv 1803.02155).

    ``on_keys``, and ``on_values`` (None if the description wants none), are ``(2 * clip + 1, head_dim)`` and
    shared by heads; row r is that of key position - query position = r - clip, the order of tensor2tensor's
    ``relative_positions_embeddings`` and of transformers' ``distance_embedding`` in Wav2Vec2-BERT.
    """

    def __init__(self, description: Shaw):
        super().__init__(description)
        self.clip = description.clip
        tables = [trained(table) for table in description.tables()]
        self.on_keys = tables[0]
        self.on_values = tables[1] if description.on_values else None

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_width(self.on_keys.shape[1], q)
        return super().logits(q, k, ctx) + picked(q.to(ctx.dtype) * ctx.scale, self.on_keys, self._rows(ctx))

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        mixed = super().mix(weights, v, ctx)
        if self.on_values is None:
            return mixed
        # What each query gives to each distance; its vectors then count once, not once for each key.
        rows = self._rows(ctx).expand_as(weights)
        given = weights.new_zeros(*weights.shape[:3], 2 * self.clip + 1)
        return mixed + torch.scatter_add(given, -1, rows, weights) @ self.on_values.to(weights.dtype)

    def _rows(self, ctx: Context) -> Tensor:
        return (-distances(ctx)).clamp(-self.clip, self.clip) + self.clip
