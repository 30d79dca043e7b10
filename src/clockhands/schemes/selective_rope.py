"""Selective RoPE: rotation by steps that the tokens choose for every hand."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands.catalogue.selective_rope import SelectiveRoPE
from clockhands.core.context import Context
from clockhands.schemes.along_tokens import convolved, drawn, require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.reading import projected
from clockhands.schemes.relative import trained
from clockhands.schemes.walking import walked_logits


@final
class SelectiveRotation(Described):
    """Turns pair i of head h by ``temperature[i]`` times the sum of its steps so far. Movahedi et al. 2025.

    ``phi_down`` ``(phi_proj_rank, d_model)`` and ``phi_up`` ``(num_heads * head_dim / 2, phi_proj_rank)``
    give the steps before the convolution, whose filters are ``taps`` ``(d_conv, num_heads, head_dim / 2)``.
    The steps (and gates, if there are any) of each token are cached beside k and v.
    """

    temperature: Tensor

    def __init__(self, description: SelectiveRoPE):
        super().__init__(description)
        width, rank = description.d_model, description.phi_proj_rank
        self.heads, self.pairs = description.num_heads, description.head_dim // 2
        random = np.random.default_rng(description.seed)
        self.phi_down = drawn(random, rank, width, fan_in=width)
        self.phi_up = drawn(random, self.heads * self.pairs, rank, fan_in=rank)
        self.taps = drawn(random, description.d_conv, self.heads, self.pairs, fan_in=description.d_conv)
        self.log_bias = trained(np.zeros((self.heads, self.pairs))) if description.use_bias else None
        self.gate = drawn(random, self.heads, width, fan_in=width) if description.use_gate else None
        self.gate_bias = trained(np.zeros(self.heads)) if description.use_gate else None
        self.fix("temperature", description.temperature())

    def annotate(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        normed = wide
        if x.shape[-1] % self.heads == 0:  # if not, the projection refuses it
            normed = functional.normalize(wide.unflatten(-1, (self.heads, -1)), dim=-1, eps=1e-6).flatten(-2)
        steps = projected(projected(normed, self.phi_down), self.phi_up)
        steps = steps.unflatten(-1, (self.heads, self.pairs))
        if self.gate is None:
            return steps
        gate = projected(normed, self.gate, self.gate_bias).sigmoid()
        return torch.cat((steps, gate[..., None]), dim=-1)

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.heads, ctx)
        assert ctx.memory is not None
        steps = convolved(ctx.memory[..., : self.pairs], self.taps, ctx.visibility)
        if self.log_bias is not None:
            steps = steps + self.log_bias.to(steps.dtype).exp()
        if self.gate is not None:
            steps = steps * ctx.memory[..., self.pairs :]
        return walked_logits(q, k, steps * self.temperature.to(q.device), ctx, "half")
