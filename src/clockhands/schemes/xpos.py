"""Rotation whose scores fade with distance, each hand at its own rate."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.xpos import XPos
from clockhands.core.context import Context
from clockhands.schemes.turning import TurningHands


@final
class FadingRotation(TurningHands):
    """The part of pair i in a score is multiplied by ``bases[i] ** (distance / scale_base)``. 2212.10554.

    Queries and keys are turned as in RoPE and kept so. Their magnitudes, which the paper puts on them, would
    leave the range of float16 after some thousand tokens and of float32 after some ten thousand; here they
    are put on in float64, around the middle of the text, when scores are made. Raises nothing and stays exact
    for texts of up to 500,000 tokens.
    """

    bases: Tensor

    def __init__(self, description: XPos):
        super().__init__(description)
        self.scale_base = float(description.scale_base)
        self.fix("bases", formulas.xpos_bases(description.head_dim))

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        first, last = ctx.k_places.cummin(dim=1)[0], ctx.k_places.cummax(dim=1)[0]
        middle = (first[:, -1:] + last[:, -1:]) // 2  # of no keys none, where amin and amax would fail
        fading = self._by_dimension(self.bases.log() / self.scale_base)
        faded_q = q * ((ctx.q_places - middle)[:, None, :, None] * fading).exp()
        faded_k = k * ((middle - ctx.k_places)[:, None, :, None] * fading).exp()
        seen = ctx.mask.broadcast_to(q.shape[0], 1, q.shape[2], k.shape[2])
        scores = faded_q @ faded_k.transpose(-1, -2) * ctx.scale
        return scores.masked_fill(~seen, 0.0).to(ctx.dtype)

    def _by_dimension(self, each_pair: Tensor) -> Tensor:
        if self.layout == "half":
            return torch.cat((each_pair, each_pair))
        return each_pair.repeat_interleave(2)
