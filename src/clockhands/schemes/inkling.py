"""Inkling's bias: the query's own mixture of learned curves over distance."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands.catalogue.inkling import Inkling
from clockhands.core.context import Context
from clockhands.schemes.biasing import distance_at, on_grids, require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.reading import projected


@final
class MixedCurves(Described):
    """Adds ``(map_h x_query . bank)[distance]`` to the logits, 0 outside ``0 <= distance < rel_extent``.

    ``map`` is ``(num_heads * d_rel, d_model)``, ``bank`` ``(d_rel, rel_extent)``; the names in transformers
    are ``r_proj.weight`` and ``rel_logits_proj.proj``.
    """

    def __init__(self, description: Inkling):
        super().__init__(description)
        first, second = (
            torch.tensor(each, dtype=torch.get_default_dtype()) for each in description.weights()
        )
        self.map = nn.Parameter(first)
        self.bank = nn.Parameter(second)
        self.num_heads, self.extent = description.num_heads, description.rel_extent

    def annotate(self, x: Tensor) -> Tensor:
        """How much of each curve each token wants in each head, ``(b, t, num_heads, d_rel)``."""
        return projected(x, self.map).unflatten(-1, (self.num_heads, -1))

    def prepare(self, ctx: Context) -> Tensor:
        """The curve of each query in each head, ``(b, tq, num_heads, rel_extent)``, logits."""
        require_heads(self.num_heads, ctx)
        assert ctx.memory is not None
        return ctx.memory[:, ctx.q_start :].to(ctx.dtype) @ self.bank.to(ctx.dtype)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        distance = distance_at(ctx, b, i, j)
        column = distance.clamp(0, self.extent - 1)
        if on_grids(b, h, i, j) and column.device.type == "cpu":  # as in ``of_heads``
            curves = ctx.prepared.transpose(1, 2)
            curve = curves.gather(-1, column.expand(-1, curves.shape[1], -1, -1))
        else:
            curve = ctx.prepared[b, i, h, column]
        return torch.where((distance >= 0) & (distance < self.extent), curve, torch.zeros_like(curve))
