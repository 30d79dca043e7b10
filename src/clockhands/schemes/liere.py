"""LieRE: learned rotations of whole blocks of each head."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.liere import LieRE
from clockhands.core.fixed import widest_float
from clockhands.schemes.turning_blocks import TurningBlocks


@final
class LieRotation(TurningBlocks):
    """Turns queries and keys by ``exp(sum over axes of position * A_axis)``. Ostmeier et al. 2024.

    ``upper`` holds the upper triangles of the skew matrices, rad / unit, ``(axes, heads, blocks, n(n-1)/2)``
    (arXiv 2406.10322). Layers that share this module share them; in the paper each layer has its own.
    """

    above: Tensor

    def __init__(self, description: LieRE):
        super().__init__(description)
        self.extent, self.width = description.extent, description.block_dim
        above = np.stack(np.triu_indices(self.width, 1))
        self.fix("above", above)
        upper = description.weights()[..., above[0], above[1]]
        self.upper = nn.Parameter(torch.tensor(upper, dtype=torch.get_default_dtype()))

    def generators(self) -> Tensor:
        upper = self.upper.to(widest_float(self.upper.device))
        raw = upper.new_zeros(*upper.shape[:-1], self.width, self.width)
        raw[..., self.above[0], self.above[1]] = upper
        return formulas.skew_of_upper(raw) / self.extent
