"""ComRoPE: learned rotations of whole blocks whose axes commute."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.comrope import ComRoPE
from clockhands.core.encoding import Table
from clockhands.core.fixed import widest_float
from clockhands.schemes.described import Described
from clockhands.schemes.turning_blocks import block_rotations, blocks_turned


@final
class CommutingRotation(Described):
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
        """The skew matrix of each axis, head and block, ``(axes, heads, blocks, n, n)``, rad / step."""
        exact = widest_float(self.raw.device)
        if self.factors is None:
            return formulas.partitioned_generators(self.raw.to(exact), self.num_axes) / self.extent
        return formulas.scaled_generators(self.raw.to(exact), self.factors.to(exact)) / self.extent

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
