"""Stick-breaking weights instead of a softmax."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.stick_breaking import StickBreaking
from clockhands.core.context import Context
from clockhands.schemes.described import Described


@final
class StickBreakingWeights(Described):
    """Each key before the query takes its share, the nearest first. Tan et al. 2024 (arXiv 2410.17980)."""

    def __init__(self, description: StickBreaking):
        super().__init__(description)
        self.last = 0 if description.attend_current else -1

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        before = torch.ones(logits.shape[-2:], dtype=torch.bool, device=logits.device)
        return formulas.stick_breaking(logits, ctx.mask & before.tril(ctx.q_start + self.last))
