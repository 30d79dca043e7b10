"""Transformer-XL's logits."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.transformer_xl import TransformerXL
from clockhands.core.context import Context
from clockhands.schemes.biasing import require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.relative import require_width, trained


@final
class RelativeSinusoid(Described):
    """``(q + u) . k + (q + v) . W_R R(distance)``. Dai et al. 2019 (arXiv 1901.02860), section 3.3.

    ``u`` and ``v`` are ``(num_heads, head_dim)``: ``r_w_bias`` and ``r_r_bias`` of the published code and of
    transformers' XLNet. ``weight`` is ``(num_heads, head_dim, d_model)``: the published ``r_net.weight``
    unflattened, or XLNet's ``r.permute(1, 2, 0)``. In these models layers have a ``weight`` of their own:
    give each its own module.
    """

    inv_freq: Tensor

    def __init__(self, description: TransformerXL):
        super().__init__(description)
        self.u, self.v, self.weight = (trained(table) for table in description.tables())
        self.fix("inv_freq", description.sinusoid_inv_freq())

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.u.shape[0], ctx)
        require_width(self.u.shape[1], q)
        q = q.to(ctx.dtype) * ctx.scale
        u, v = (part.to(ctx.dtype)[:, None] * ctx.scale for part in (self.u, self.v))
        content = (q + u) @ k.to(ctx.dtype).transpose(-1, -2)
        weights = torch.matmul(q + v, self.weight.to(ctx.dtype))
        q_angles, k_angles = (
            formulas.angles(places, self.inv_freq)[:, None] for places in (ctx.q_places, ctx.k_places)
        )
        return content + formulas.weigh_distance_sinusoid(weights, q_angles, k_angles)
