"""DAPE and DAPE V2: a network over the heads, and neighbouring keys, corrects the bias."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands import formulas
from clockhands.catalogue.dape import DAPE
from clockhands.catalogue.dape_v2 import DAPEV2
from clockhands.core.context import Context
from clockhands.schemes.along_tokens import drawn, require_heads
from clockhands.schemes.described import Described


@final
class AdaptedBias(Described):
    """``s + B + net([s; B])``, s the scaled scores and B ALiBi's bias. Zheng et al. 2024.

    ``first`` is ``(mlp_width, 2 * num_heads, 1, kernel_size)`` and ``second`` ``(num_heads, mlp_width, 1,
    kernel_size)``, with a leaky ReLU between them; a kernel of 1 is the MLP of arXiv 2405.14722, a wider one
    the convolutions of arXiv 2410.04798. Where a query may not look, each map is zero.
    """

    slopes: Tensor

    def __init__(self, description: DAPE | DAPEV2):
        super().__init__(description)
        heads, width, size = description.num_heads, description.mlp_width, description.kernel_size
        random = np.random.default_rng(description.seed)
        self.first = drawn(random, width, 2 * heads, 1, size, fan_in=2 * heads * size)
        self.first_bias = drawn(random, width, fan_in=2 * heads * size)
        self.second = drawn(random, heads, width, 1, size, fan_in=width * size)
        self.second_bias = drawn(random, heads, fan_in=width * size)
        self.fix("slopes", formulas.alibi_slopes(heads))

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.slopes.shape[0], ctx)
        scores, mask = super().logits(q, k, ctx), ctx.mask
        distance = (ctx.q_places[:, :, None] - ctx.k_places[:, None, :])[:, None]
        bias = formulas.alibi_bias_at(distance, self.slopes.to(ctx.dtype)[:, None, None], False)
        seen = torch.cat((scores, bias.expand_as(scores)), dim=1).masked_fill(~mask, 0.0)
        hidden = functional.leaky_relu(self._convolved(seen, self.first, self.first_bias))
        return scores + bias + self._convolved(hidden.masked_fill(~mask, 0.0), self.second, self.second_bias)

    @staticmethod
    def _convolved(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        if 0 in x.shape[-2:]:  # of no tokens, which a convolution refuses
            return x.new_empty(x.shape[0], weight.shape[0], *x.shape[2:])
        padding = (0, weight.shape[-1] // 2)
        return functional.conv2d(x, weight.to(x.dtype), bias.to(x.dtype), padding=padding)
