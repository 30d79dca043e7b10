"""CoPE: a learned vector for each counted position."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.cope_contextual import CoPE
from clockhands.catalogue.untrained import given_or_untrained
from clockhands.core.context import Context
from clockhands.errors import ClockhandsError
from clockhands.schemes.described import Described
from clockhands.schemes.relative import trained


@final
class ContextualPositions(Described):
    """Adds ``q_m . e[p_mn]`` to the logits. Golovneva et al. 2024 (arXiv 2405.18719).

    ``pos_emb`` is the table e, ``(npos_max, head_dim)``, shared by the heads; it starts N(0, 0.02).
    """

    def __init__(self, description: CoPE):
        super().__init__(description)
        shape = (description.npos_max, description.head_dim)
        self.pos_emb = trained(given_or_untrained(None, description.seed, shape))

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        if q.shape[-1] != self.pos_emb.shape[-1]:
            have, need = q.shape[-1], self.pos_emb.shape[-1]
            raise ClockhandsError(
                f"heads are {have} wide and the table of positions {need}: give both the same head_dim",
                f"注意力头宽 {have}，位置表宽 {need}：两者的 head_dim 应相同",
            )
        scores = super().logits(q, k, ctx)
        behind = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril(ctx.q_start)
        gates = scores.sigmoid().masked_fill(~(ctx.mask & behind), 0.0)
        positions = formulas.contextual_positions(gates, self.pos_emb.shape[0] - 1)
        table = q.to(ctx.dtype) @ self.pos_emb.to(ctx.dtype).transpose(0, 1)
        return scores + formulas.interpolated(table, positions)
