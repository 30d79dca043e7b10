"""PoPE: queries and keys become hands whose angle is the position alone."""

from __future__ import annotations

import math
from typing import final

import numpy as np
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.pope_polar import PoPE
from clockhands.core.encoding import Table
from clockhands.errors import ClockhandsError
from clockhands.schemes.described import Described
from clockhands.schemes.relative import trained


@final
class PolarHands(Described):
    """Makes heads twice as wide, cosines then sines of their hands. Gopalakrishnan et al. 2025.

    ``delta`` is ``(num_heads, head_dim)``, rad, kept from -2 pi to 0; it starts at 0 and is taken off the
    angle of the query. ``inv_freq`` is a fixed tensor ``(head_dim,)``, rad / token, float64.
    """

    inv_freq: Tensor

    def __init__(self, description: PoPE):
        super().__init__(description)
        self.delta = trained(np.zeros((description.num_heads, description.head_dim)))
        self.fix("inv_freq", description.inv_freq())

    def table(self, places: Tensor) -> Tensor:
        """The angles themselves, ``(b, t, head_dim)``."""
        return formulas.angles(places, self.inv_freq)

    def queries(self, q: Tensor, table: Table) -> Tensor:
        self._require(q.shape[1], q.shape[-1])
        assert isinstance(table, Tensor)
        delta = self.delta.to(table.dtype).clamp(-2 * math.pi, 0.0)
        return formulas.polar(q, table[:, None] - delta[:, None, :])

    def keys(self, k: Tensor, table: Table) -> Tensor:
        self._require(self.delta.shape[0], k.shape[-1])
        assert isinstance(table, Tensor)
        return formulas.polar(k, table[:, None])

    def _require(self, *have: int) -> None:
        need = tuple(self.delta.shape)
        if have != need:
            raise ClockhandsError(
                f"the attention has {have[0]} heads of {have[1]}, and this encoding {need[0]} of {need[1]}: "
                "give both the same num_heads and head_dim",
                f"注意力有 {have[0]} 个宽 {have[1]} 的头，而这个编码是 {need[0]} 个宽 {need[1]} 的头："
                "两者的 num_heads 和 head_dim 应相同",
            )
