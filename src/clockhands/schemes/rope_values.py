"""Rotation of queries, keys and values, undone on the output."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands.core.context import Context
from clockhands.schemes.turning import TurningHands, turned


@final
class ValueRotation(TurningHands):
    """Turns values by their positions too, and outputs back: a value arrives turned by the distance.

    ``inv_freq`` is a fixed tensor ``(pairs,)``, rad / token. Values must be as wide as keys.
    """

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        there = turned(v.to(weights.dtype), self.table(ctx.k_places), self.layout)
        return turned(weights @ there, self.table(-ctx.q_places), self.layout)
