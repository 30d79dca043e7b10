"""Rotation: any frequencies, both layouts, the whole head or its leading part."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.description import Description
from clockhands.core.encoding import Table
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described
from clockhands.schemes.turning import cos_and_sin, turned


@final
class Rotation(Described):
    """Turns pair i of queries and keys by ``position * inv_freq[i]``. Su et al. 2021 (arXiv 2104.09864).

    ``inv_freq`` is a fixed tensor ``(pairs,)``, rad / token, float64. ``layout`` is the description's, or
    ``half`` if it has none. A head wider than ``2 * pairs`` keeps its other dimensions as they are.

    >>> from clockhands.catalogue.rope import RoPE
    >>> Rotation(RoPE(head_dim=4)).inv_freq
    tensor([1.0000, 0.0100], dtype=torch.float64)
    """

    inv_freq: Tensor

    def __init__(self, description: Description):
        super().__init__(description)
        self.layout: Layout = getattr(description, "layout", "half")
        inv_freq = description.inv_freq()
        assert inv_freq is not None, f"{description.card.id} has no frequencies"
        self.fix("inv_freq", inv_freq)

    def table(self, places: Tensor) -> Table:
        return cos_and_sin(formulas.angles(places, self.inv_freq))

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turned(q, table, self.layout)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return turned(k, table, self.layout)
