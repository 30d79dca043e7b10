"""A straight line for each head: ALiBi's bias, and RetNet's decay."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.retnet_decay import RetNetDecay
from clockhands.core.context import Context
from clockhands.schemes.biasing import distance_at, require_heads
from clockhands.schemes.described import Described


@final
class LinearBias(Described):
    """Adds ``-slope_h * distance`` to the logits. Press et al. 2022 (arXiv 2108.12409).

    ``slopes`` is a fixed tensor ``(num_heads,)``, logits / token, as the description has them. Nothing is
    learned.
    """

    slopes: Tensor

    def __init__(self, description: ALiBi | RetNetDecay):
        super().__init__(description)
        self.symmetric = description.symmetric
        self.fix("slopes", description.slopes())

    def prepare(self, ctx: Context) -> Tensor:
        require_heads(self.slopes.shape[0], ctx)
        return self.slopes.to(ctx.dtype)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return formulas.alibi_bias_at(distance_at(ctx, b, i, j), ctx.prepared[h], self.symmetric)
