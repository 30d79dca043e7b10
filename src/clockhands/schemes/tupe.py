"""TUPE's bias: positions meet positions."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.tupe import TUPE
from clockhands.core.context import Context
from clockhands.schemes.adding import row_of
from clockhands.schemes.biasing import on_grids, require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.relative import distances, trained


@final
class UntiedPositions(Described):
    """``(p_m U_Q) . (p_n U_K) / sqrt(2 d) + b(n - m)`` on the logits. Ke et al. 2020 (arXiv 2006.15595).

    ``positions`` is ``(max_positions, d_model)``, ``query`` and ``key`` ``(num_heads, head_dim, d_model)``;
    where the description wants them, ``buckets`` is ``(num_buckets, num_heads)``, with T5's two-way buckets,
    and ``cls`` ``(2, num_heads)``: logits from position 0 to all, and of all to position 0.

    From guolinke/TUPE: ``positions`` is ``pos_ln(pos.weight)[1:]`` and the maps are the halves of
    ``pos_proj.weight`` unflattened, where its bias is zero; ``cls`` is the scaled product of rows 0 and 1
    with themselves.
    """

    score_scale: float = 2**-0.5
    buckets_of: Tensor

    def __init__(self, description: TUPE):
        super().__init__(description)
        tables = {name: trained(table) for name, table in description.tables().items()}
        self.positions, self.query, self.key = tables["positions"], tables["query"], tables["key"]
        self.buckets: nn.Parameter | None = tables.get("buckets")
        self.cls: nn.Parameter | None = tables.get("cls")
        self.reach = description.max_distance
        reach = np.arange(-self.reach, self.reach + 1)
        self.fix("buckets_of", formulas.t5_bucket(reach, description.num_buckets, self.reach, True))

    def prepare(self, ctx: Context) -> Tensor:
        """The bias of each pair, ``(b, num_heads, tq, tk)``."""
        require_heads(self.query.shape[0], ctx)
        table = self.positions.to(ctx.dtype)
        queries, keys = (
            row_of(table, places)[:, None] @ weight.to(ctx.dtype).transpose(-1, -2)
            for places, weight in ((ctx.q_places, self.query), (ctx.k_places, self.key))
        )
        bias = (queries * ctx.scale) @ keys.transpose(-1, -2)
        if self.buckets is not None:
            index = self.buckets_of[distances(ctx)[:, 0].clamp(-self.reach, self.reach) + self.reach]
            bias = bias + self.buckets.to(ctx.dtype)[index].movedim(-1, 1)
        if self.cls is None:
            return bias
        first, to_first = self.cls.to(ctx.dtype)[:, :, None, None]
        bias = torch.where((ctx.k_places == 0)[:, None, None, :], to_first, bias)
        return torch.where((ctx.q_places == 0)[:, None, :, None], first, bias)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return ctx.prepared if on_grids(b, h, i, j) else ctx.prepared[b, h, i, j]
