"""CARoPE: rotation at speeds that the tokens give."""

from __future__ import annotations

from typing import final

import numpy as np
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.carope import CARoPE
from clockhands.catalogue.untrained import given_or_untrained
from clockhands.core.context import Context
from clockhands.core.fixed import widest_float
from clockhands.formulas.layouts import Layout
from clockhands.schemes.along_tokens import require_heads
from clockhands.schemes.described import Described
from clockhands.schemes.reading import projected
from clockhands.schemes.relative import trained
from clockhands.schemes.walking import walked_logits


@final
class ContextRotation(Described):
    """Turns pair i of head h by the sum of ``f_h(x_t) ** i`` over the tokens so far. Veisi et al. 2025.

    ``weight`` is ``(num_heads, d_model)``, N(0, 0.02) at first; ``bias`` ``(num_heads,)`` starts so that
    tokens of zeros turn as RoPE does. Each token's ``f``, ``(b, t, num_heads)``, is cached beside k and v.
    """

    def __init__(self, description: CARoPE):
        super().__init__(description)
        self.layout: Layout = description.layout
        self.pairs, heads = description.head_dim // 2, description.num_heads
        self.weight = trained(given_or_untrained(None, description.seed, (heads, description.d_model)))
        self.bias = trained(np.full(heads, formulas.projected_for(description.first_frequency)))

    def annotate(self, x: Tensor) -> Tensor:
        return formulas.context_frequency(projected(x, self.weight, self.bias))

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_heads(self.bias.shape[0], ctx)
        assert ctx.memory is not None
        frequency = ctx.memory.to(widest_float(q.device))
        return walked_logits(q, k, formulas.frequency_powers(frequency, self.pairs), ctx, self.layout)
