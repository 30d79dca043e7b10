"""Sandwich's bias: the similarity of two sinusoidal positions, weaker from head to head."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.sandwich import Sandwich
from clockhands.core.context import Context
from clockhands.schemes.biasing import offsets_of, require_heads
from clockhands.schemes.described import Described


@final
class SinusoidKernel(Described):
    """Adds ``factor_h * sum of cos(speed * distance)`` to the logits. Chi et al. 2023 (arXiv 2212.10356).

    ``speeds`` ``(hands,)``, rad / token, and ``factors`` ``(num_heads,)`` are fixed tensors.
    """

    speeds: Tensor
    factors: Tensor

    def __init__(self, description: Sandwich):
        super().__init__(description)
        self.fix("speeds", description.speeds())
        self.fix("factors", description.factors())

    def prepare(self, ctx: Context) -> tuple[Tensor, Tensor]:
        """The sum for each pair, ``(b, tq, tk)``, once for all heads, and the factors."""
        require_heads(self.factors.shape[0], ctx)
        kernel = formulas.sandwich_kernel(offsets_of(ctx)[..., 0], self.speeds)
        return kernel.to(ctx.dtype), self.factors.to(ctx.dtype)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        kernel, factors = ctx.prepared
        return factors[h] * kernel[b, i, j]
