"""PaTH and PaTH-FoX: mirrors along the tokens, with or without forgetting."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands import formulas
from clockhands.catalogue.mirrors import Mirrored
from clockhands.core.context import Context
from clockhands.schemes.along_tokens import (
    convolved,
    drawn,
    per_query_head,
    require_heads,
    together,
    unless_padding,
)
from clockhands.schemes.described import Described
from clockhands.schemes.forgetting import running_sums
from clockhands.schemes.reading import projected
from clockhands.schemes.relative import trained

BLOCK = 128
"""Up to this many keys the formula that is easily read computes; more are taken in blocks."""


class Mirrors(Described):
    """``scale * k_n . (H_{n+1} ... H_m) q_m`` with ``H_s = I - beta_s w_s w_s^T``. Yang et al. 2025.

    w is a projection (``w_down``, ``w_up``; only ``w_up`` at full rank), a short convolution (``taps``), SiLU
    and a norm; beta is ``2 sigmoid(beta_weight x + beta_bias)``. What each token gives is cached beside k, v.
    """

    def __init__(self, description: Mirrored):
        super().__init__(description)
        width, rank, size = description.d_model, description.rank, description.conv_size
        self.heads, self.groups = description.num_heads, description.groups
        random = np.random.default_rng(description.seed)
        inner = width if rank is None else rank
        self.w_down = None if rank is None else drawn(random, rank, width, fan_in=width)
        self.w_up = drawn(random, self.groups * description.head_dim, inner, fan_in=inner)
        self.taps = None if size == 1 else drawn(random, size, self.groups, description.head_dim, fan_in=size)
        self.beta_weight = drawn(random, self.groups, width, fan_in=width)
        self.beta_bias = trained(np.zeros(self.groups))

    def annotate(self, x: Tensor) -> Tensor:
        w = projected(x if self.w_down is None else projected(x, self.w_down), self.w_up)
        beta = 2 * projected(x, self.beta_weight, self.beta_bias).sigmoid()
        return torch.cat((w.unflatten(-1, (self.groups, -1)), beta[..., None]), dim=-1)

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.heads, ctx)
        assert ctx.memory is not None
        return self.mirrored(q, k, ctx.memory, ctx) * ctx.scale

    def mirrored(self, q: Tensor, k: Tensor, memory: Tensor, ctx: Context) -> Tensor:
        """The unscaled logits; memory ``(b, tk, groups, head_dim + 1)`` holds w and, last, beta."""
        w, beta = memory[..., :-1], unless_padding(memory[..., -1], ctx.visibility)
        if self.taps is not None:
            w = functional.silu(convolved(w, self.taps, ctx.visibility))
        w = w * (w.square().sum(-1, keepdim=True) + 1e-6).rsqrt()
        w, beta = (per_query_head(part.to(ctx.dtype), self.heads) for part in (w, beta))
        same = together(ctx.visibility)
        q, k = q.to(ctx.dtype), k.to(ctx.dtype)
        path = formulas.path_logits if k.shape[-2] <= BLOCK else formulas.path_logits_in_blocks
        end = ctx.q_start + q.shape[2]
        k, ahead, w, beta = k[:, :, :end], k[:, :, end:], w[:, :, :end], beta[..., :end]
        logits = path(q, k, w, beta, None if same is None else same[:, None, :end, :end])
        # Keys behind all queries, of a part of a text that is read without a causal mask: nothing on the way.
        return torch.cat((logits, q @ ahead.transpose(-1, -2)), dim=-1) if ahead.shape[2] else logits


@final
class PathMirrors(Mirrors):
    """PaTH (arXiv 2505.16381)."""


@final
class ForgettingMirrors(Mirrors):
    """PaTH-FoX: the sum of log forget gates on the way is added before scaling (arXiv 2505.16381).

    The gates of the query heads are ``sigmoid(forget_weight x + forget_bias)``; their logarithms are cached.
    """

    def __init__(self, description: Mirrored):
        super().__init__(description)
        random = np.random.default_rng((description.seed, 1))
        self.forget_weight = drawn(random, self.heads, description.d_model, fan_in=description.d_model)
        self.forget_bias = trained(np.zeros(self.heads))

    def annotate(self, x: Tensor) -> Tensor:
        kept = functional.logsigmoid(projected(x, self.forget_weight, self.forget_bias))
        return torch.cat((super().annotate(x).flatten(2), kept), dim=-1)

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.heads, ctx)
        assert ctx.memory is not None
        memory, kept = ctx.memory[..., : -self.heads], ctx.memory[..., -self.heads :]
        sums = running_sums(kept, ctx).transpose(1, 2)
        of_queries = slice(ctx.q_start, ctx.q_start + q.shape[2])
        passed = (sums[:, :, of_queries, None] - sums[:, :, None, :]).to(ctx.dtype)
        return (self.mirrored(q, k, memory.unflatten(-1, (self.groups, -1)), ctx) + passed) * ctx.scale
