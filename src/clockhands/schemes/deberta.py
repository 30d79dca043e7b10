"""DeBERTa's disentangled attention, over clipped distances or over buckets."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands.catalogue import disentangled
from clockhands.core.context import Context
from clockhands.schemes.biasing import require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.relative import distances, picked, require_width, trained


@final
class Disentangled(Described):
    """``(Q K + Q K_r + K Q_r) / sqrt(3 d)``. He et al. 2020 (arXiv 2006.03654), equation 4.

    ``vectors`` is ``(rows, d_model)``, ``key`` and ``query`` are ``(num_heads, head_dim, d_model)`` and
    ``query_bias`` is ``(num_heads, head_dim)``: ``K_r = vectors key^T``, ``Q_r = vectors query^T + bias``.
    A bias of K_r would add the same to all scores of a query, which the softmax takes away again.

    From transformers: ``vectors`` is ``rel_embeddings.weight``, passed through the encoder's ``LayerNorm``
    where ``norm_rel_ebd`` says so. DeBERTa: ``key`` and ``query`` are ``pos_proj`` and ``pos_q_proj``,
    unflattened to heads. DeBERTa-v2 and -v3: ``pos_key_proj`` and ``pos_query_proj``; with ``share_att_key``
    the layer's own ``key_proj`` and ``query_proj``. Their layers have maps of their own: give each its own
    module.
    """

    score_scale: float = 3**-0.5
    rows: Tensor

    def __init__(self, description: disentangled.Disentangled):
        super().__init__(description)
        self.vectors, self.key, self.query, self.query_bias = (
            trained(table) for table in description.tables()
        )
        self.fix("rows", description.rows())
        self.reach = description.max_relative_positions

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.key.shape[0], ctx)
        require_width(self.key.shape[1], q)
        q, k = q.to(ctx.dtype) * ctx.scale, k.to(ctx.dtype)
        vectors, key, query, bias = (
            part.to(ctx.dtype) for part in (self.vectors, self.key, self.query, self.query_bias)
        )
        rows = self.rows[distances(ctx).clamp(-self.reach, self.reach) + self.reach]
        content = q @ k.transpose(-1, -2)
        to_position = picked(q, torch.matmul(vectors, key.transpose(-1, -2)), rows)
        position_queries = (torch.matmul(vectors, query.transpose(-1, -2)) + bias[:, None]) * ctx.scale
        from_position = picked(k, position_queries, rows.transpose(-1, -2)).transpose(-1, -2)
        return content + to_position + from_position
