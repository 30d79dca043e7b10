"""KERPLE's biases: a curve over distance with two learned numbers a head."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands.catalogue.kerple import Kerple
from clockhands.core.context import Context
from clockhands.schemes.biasing import distance_at, require_heads
from clockhands.schemes.described import Described


@final
class KernelBias(Described):
    """Adds the description's curve to the logits. Chi et al. 2022 (arXiv 2205.09921).

    ``r1`` and ``r2`` are ``(num_heads,)`` and start with the description's numbers. Where training drives
    them out of their bounds, the bound counts; the gradient passes, so that they can come back.
    """

    def __init__(self, description: Kerple):
        super().__init__(description)
        rows = torch.tensor(description.rows(), dtype=torch.get_default_dtype())
        self.r1, self.r2 = (nn.Parameter(row.clone()) for row in rows)
        self.bounds, self.curve = description.bounds, description.curve

    def prepare(self, ctx: Context) -> tuple[Tensor, Tensor]:
        require_heads(len(self.r1), ctx)
        first, second = self.bounds
        return _held(self.r1.to(ctx.dtype), *first), _held(self.r2.to(ctx.dtype), *second)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        r1, r2 = ctx.prepared
        return self.curve(distance_at(ctx, b, i, j), r1[h], r2[h])


def _held(values: Tensor, least: float, most: float) -> Tensor:
    return values + (values.clamp(least, most) - values).detach()
