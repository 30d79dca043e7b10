"""Biases that add up a step for each token between key and query: FoX and CABLE."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands.catalogue.gated import Gated
from clockhands.core.context import Context
from clockhands.core.fixed import widest_float
from clockhands.schemes.biasing import require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.reading import projected


@final
class SummedSteps(Described):
    """Adds the steps of the tokens after the key up to the query. Lin et al. 2025 (arXiv 2503.02130).

    ``weight`` ``(num_heads, d_model)`` and ``offset`` ``(num_heads,)`` make a token's gates, from which the
    description makes its steps, logits. A cache keeps the steps of earlier tokens. Without a causal mask,
    keys ahead of the query get the sum with the opposite sign.
    """

    def __init__(self, description: Gated):
        super().__init__(description)
        weight = torch.tensor(description.weights(), dtype=torch.get_default_dtype())
        self.weight = nn.Parameter(weight)
        self.offset = nn.Parameter(torch.zeros(len(weight)))
        self.steps = description.steps

    def annotate(self, x: Tensor) -> Tensor:
        """The steps of each token in each head, ``(b, t, num_heads)``, logits."""
        return self.steps(projected(x, self.weight, self.offset))

    def prepare(self, ctx: Context) -> Tensor:
        require_heads(len(self.offset), ctx)
        assert ctx.memory is not None
        return running_sums(ctx.memory, ctx)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        sums = ctx.prepared
        return (sums[b, ctx.q_start + i, h] - sums[b, j, h]).to(ctx.dtype)


def running_sums(steps: Tensor, ctx: Context) -> Tensor:
    """What the steps up to each token add up to, within its own document, ``(b, tk, num_heads)``.

    In float64 where the device has it: a bias is the difference of two sums, which may both be large. Tokens
    that nobody may look at count for nothing, and documents may even be interleaved: the sums run through
    the tokens sorted by document, and where one document passes into the next, a difference is never taken.
    """
    valid, documents = ctx.visibility.valid, ctx.visibility.documents
    steps = steps.to(widest_float(steps.device))
    if valid is not None:
        steps = steps.masked_fill(~valid[..., None], 0)
    if documents is None:
        return steps.cumsum(1)
    order = documents.argsort(dim=1, stable=True)[..., None].expand_as(steps)
    return torch.zeros_like(steps).scatter(1, order, steps.gather(1, order).cumsum(1))
