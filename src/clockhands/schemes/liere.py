"""LieRE: learned rotations of whole blocks of each head."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.liere import LieRE
from clockhands.core.encoding import Table
from clockhands.core.fixed import widest_float
from clockhands.schemes.described import Described
from clockhands.schemes.turning_blocks import block_rotations, blocks_turned


@final
class LieRotation(Described):
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
        """The skew matrix of each axis, head and block, ``(axes, heads, blocks, n, n)``, rad / step."""
        upper = self.upper.to(widest_float(self.upper.device))
        raw = upper.new_zeros(*upper.shape[:-1], self.width, self.width)
        raw[..., self.above[0], self.above[1]] = upper
        return formulas.skew_of_upper(raw) / self.extent

    @property
    def inv_freq(self) -> Tensor:
        """What all heads turn when all axes move together, and how fast, rad / step; head 0 first."""
        return formulas.generator_speeds(self.generators().sum(0)).flatten()

    def table(self, places: Tensor) -> Table:
        return block_rotations(places, self.generators())

    def queries(self, q: Tensor, table: Table) -> Tensor:
        assert isinstance(table, Tensor)
        return blocks_turned(q, table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        assert isinstance(table, Tensor)
        return blocks_turned(k, table)
