"""Hard-ALiBi's bias: a window for each head."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.alibi_hard import HardALiBi
from clockhands.core.context import Context
from clockhands.schemes.biasing import distance_at, require_heads
from clockhands.schemes.described import Described


@final
class HeadWindows(Described):
    """Adds minus infinity where a head doesn't see. Jelassi et al. 2024 (arXiv 2402.01032).

    ``windows`` is a fixed tensor ``(num_heads,)``: tokens that each head sees, itself counted. A query always
    sees its own token, so no row is left empty.
    """

    windows: Tensor

    def __init__(self, description: HardALiBi):
        super().__init__(description)
        self.fix("windows", description.windows())

    def prepare(self, ctx: Context) -> Tensor:
        require_heads(self.windows.shape[0], ctx)
        return self.windows.to(ctx.dtype)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return formulas.hard_bias_at(distance_at(ctx, b, i, j), ctx.prepared[h])
