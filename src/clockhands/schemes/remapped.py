"""Rotation at remapped distances: once for each leg, put together by where each leg holds."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.remapped import Remapped
from clockhands.core.context import Context
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described
from clockhands.schemes.turning import cos_and_sin, turned


@final
class RemappedRotation(Described):
    """Queries and keys turned so that each pair differs by its effective distance, exactly.

    The cache keeps keys as they are, since their places change with the query. A pair that no leg holds for
    gets no weight. ``inv_freq`` is a fixed tensor ``(head_dim / 2,)``, rad / token.
    """

    inv_freq: Tensor

    def __init__(self, description: Remapped):
        super().__init__(description)
        self.remap = description
        self.layout: Layout = description.layout
        self.fix("inv_freq", description.hands())

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        q, k = q.to(ctx.dtype), k.to(ctx.dtype)
        # The lowest number instead of -inf, as for masked keys: a row that sees nothing would give NaN.
        logits = q.new_full((*q.shape[:3], k.shape[2]), torch.finfo(ctx.dtype).min)
        for leg in self.remap.legs(ctx.q_places, ctx.k_places):
            here, there = (self._turned(x, at, leg.unit) for x, at in ((q, leg.queries), (k, leg.keys)))
            scores = (here @ there.transpose(-1, -2)) * ctx.scale
            logits = torch.where(leg.holds[:, None], scores, logits)
        return logits

    def _turned(self, x: Tensor, places: Tensor, unit: float) -> Tensor:
        return turned(x, cos_and_sin(formulas.angles(places, self.inv_freq * unit)), self.layout)
