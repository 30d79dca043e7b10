"""FIRE's bias: a learned curve over the share of the text between key and query."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.fire import FIRE
from clockhands.core.context import Context
from clockhands.schemes.biasing import offsets_of, on_grids, require_heads
from clockhands.schemes.described import Described


@final
class ShareCurve(Described):
    """Adds ``curve_h(psi(distance) / psi(max(position, threshold)))``. Li et al. 2024 (arXiv 2310.04418).

    ``units`` is ``(width, 2 + num_heads)``: weight, offset and share in each head of each hidden unit. ``c``
    and ``multiplier`` (of the description's threshold) are single numbers whose sign doesn't count.
    """

    def __init__(self, description: FIRE):
        super().__init__(description)
        dtype = torch.get_default_dtype()
        self.units = nn.Parameter(torch.tensor(description.units(), dtype=dtype))
        self.c = nn.Parameter(torch.tensor(float(description.c), dtype=dtype))
        self.multiplier = nn.Parameter(torch.tensor(1.0, dtype=dtype))
        self.threshold = float(description.threshold)

    def prepare(self, ctx: Context) -> Tensor:
        """The bias of each pair, ``(b, tq, tk, num_heads)``: it hangs on the query's position too."""
        require_heads(self.units.shape[1] - 2, ctx)
        threshold = (self.multiplier.to(ctx.dtype) * self.threshold).abs()
        distance = offsets_of(ctx)[..., 0]
        share = formulas.fire_input(ctx.q_places[..., None], distance, self.c.to(ctx.dtype), threshold)
        return formulas.relu_curves(share[..., None], self.units.to(ctx.dtype))

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        if on_grids(b, h, i, j):  # taking each number has a gradient many times as slow
            return ctx.prepared.permute(0, 3, 1, 2).contiguous()
        return ctx.prepared[b, i, j, h]
