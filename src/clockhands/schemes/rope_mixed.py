"""RoPE-Mixed: each head turns its pairs by learned speeds on two axes."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.rope_mixed import RoPEMixed
from clockhands.core.encoding import Table
from clockhands.core.fixed import widest_float
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described
from clockhands.schemes.sets_of_heads import for_heads
from clockhands.schemes.turning import cos_and_sin


@final
class MixedRotation(Described):
    """Turns pair i of head h by ``sum over axes of position * speeds[axis, h, i]``. Heo et al. 2024.

    ``speeds`` is ``(2, num_heads, head_dim/2)``, rad / step, rows first (arXiv 2403.13298), and starts with
    the description's numbers. Layers that share this module share it; in the paper each layer has its own.
    """

    def __init__(self, description: RoPEMixed):
        super().__init__(description)
        self.layout: Layout = description.layout
        self.speeds = nn.Parameter(torch.tensor(description.speeds(), dtype=torch.get_default_dtype()))

    @property
    def inv_freq(self) -> Tensor:
        """Hands of all heads when rows and columns move together, rad / step; head 0 first."""
        return self.speeds.sum(0).flatten()

    def table(self, places: Tensor) -> Table:
        return cos_and_sin(formulas.along_all(places, self.speeds.to(widest_float(places.device))))

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return self._turned(q, table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return self._turned(k, table)

    def _turned(self, x: Tensor, table: Table) -> Tensor:
        assert isinstance(table, tuple)
        dtype = torch.promote_types(x.dtype, torch.float32)
        cos, sin = (for_heads(part, x.shape[1]).to(dtype) for part in table)
        return formulas.rotate(x, cos, sin, self.layout)
