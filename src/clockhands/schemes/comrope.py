"""ComRoPE: learned rotations of whole blocks whose axes commute."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.comrope import ComRoPE
from clockhands.core.fixed import widest_float
from clockhands.schemes.turning_blocks import TurningBlocks


@final
class CommutingRotation(TurningBlocks):
    """Turns queries and keys by ``exp(sum over axes of position * A_axis)``, A commuting. Yu et al. 2025.

    ``raw`` is ``(num_heads, blocks, n, n)`` and, in the variant LD, ``factors`` ``(num_axes, blocks)``
    (arXiv 2506.03737). Layers that share this module share them; in the paper each layer has its own.
    """

    def __init__(self, description: ComRoPE):
        super().__init__(description)
        self.extent, self.num_axes = description.extent, description.num_axes
        raw, factors = (torch.tensor(w, dtype=torch.get_default_dtype()) for w in description.weights())
        self.raw = nn.Parameter(raw)
        self.factors = nn.Parameter(factors) if description.variant == "ld" else None

    def generators(self) -> Tensor:
        exact = widest_float(self.raw.device)
        if self.factors is None:
            return formulas.partitioned_generators(self.raw.to(exact), self.num_axes) / self.extent
        return formulas.scaled_generators(self.raw.to(exact), self.factors.to(exact)) / self.extent
