"""Swin's table: a learned number for each offset inside a window."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.rules import distance_outside
from clockhands.catalogue.swin_table import SwinTable
from clockhands.core.context import Context
from clockhands.schemes.biasing import of_heads, offsets_at, offsets_of, require_heads
from clockhands.schemes.described import Described


@final
class OffsetTable(Described):
    """Adds ``weights[row(offsets), h]`` to the logits. Liu et al. 2021 (arXiv 2103.14030).

    ``weights`` is ``((2 * window_size - 1) ** num_axes, num_heads)``, logits, laid out as Swin's
    ``relative_position_bias_table``. Raises ClockhandsError where a query sees an offset that lies outside;
    inside a compiled graph, which can't read the values, such an offset takes the edge instead.
    """

    def __init__(self, description: SwinTable):
        super().__init__(description)
        self.weights = nn.Parameter(torch.tensor(description.weights(), dtype=torch.get_default_dtype()))
        self.window = description.window_size

    def prepare(self, ctx: Context) -> Tensor:
        require_heads(self.weights.shape[1], ctx)
        if not torch.compiler.is_compiling():
            self._require_inside(ctx)
        return self.weights.to(ctx.dtype)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        last = self.window - 1
        inside = [offset.clamp(-last, last) for offset in offsets_at(ctx, b, i, j)]
        return of_heads(ctx.prepared, formulas.offset_row(inside, self.window), h)

    def _require_inside(self, ctx: Context) -> None:
        offsets, last = offsets_of(ctx), self.window - 1
        outside = offsets[(offsets.abs() > last) & ctx.mask[:, 0, :, :, None]]
        if outside.numel():
            raise distance_outside(int(outside[0]), -last, last)
