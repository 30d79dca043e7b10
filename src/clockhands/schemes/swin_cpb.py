"""Swin-v2's bias: a learned curve over offsets on a logarithmic scale."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.swin_cpb import SwinCPB
from clockhands.core.context import Context
from clockhands.schemes.biasing import of_heads, offsets_of, require_heads
from clockhands.schemes.described import Described


@final
class OffsetCurve(Described):
    """Adds ``16 * sigmoid(curve_h(log offsets))`` to the logits. Liu et al. 2022 (arXiv 2111.09883).

    ``units`` is ``(width, num_axes + 1 + num_heads)``: weights, offset and share in each head of each hidden
    unit; the columns are those of ``cpb_mlp.0.weight``, ``cpb_mlp.0.bias`` and ``cpb_mlp.2.weight.T``.
    """

    def __init__(self, description: SwinCPB):
        super().__init__(description)
        self.units = nn.Parameter(torch.tensor(description.units(), dtype=torch.get_default_dtype()))
        self.num_heads, self.window = description.num_heads, description.window_size

    def prepare(self, ctx: Context) -> tuple[Tensor, Tensor]:
        """The bias of each different offset, ``(offsets, num_heads)``, and which one each pair has."""
        require_heads(self.num_heads, ctx)
        each, which = _different(offsets_of(ctx))
        spaced = formulas.log_offsets(each.to(ctx.dtype), self.window)
        return formulas.bounded(formulas.relu_curves(spaced, self.units.to(ctx.dtype))), which

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        values, which = ctx.prepared
        return of_heads(values, which[b, i, j], h)


def _different(offsets: Tensor) -> tuple[Tensor, Tensor]:
    """``(b, tq, tk, axes)`` -> each different offset once, ``(n, axes)``, and which of them a pair has.

    A compiled graph can't read the values, and there each pair has its own.
    """
    flat = offsets.flatten(0, 2)
    pairs = torch.arange(len(flat), device=flat.device)
    if torch.compiler.is_compiling() or not len(flat):
        return flat, pairs.view(offsets.shape[:3])
    codes = formulas.offset_row(flat.unbind(-1), int(flat.abs().max()) + 1)
    different, which = torch.unique(codes, return_inverse=True)
    one = torch.zeros_like(different).scatter(0, which, pairs)
    return flat[one], which.view(offsets.shape[:3])
