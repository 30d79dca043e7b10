"""Rotation of queries, keys and values, undone on the output."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.rope_values import ValueRoPE
from clockhands.core.context import Context
from clockhands.core.encoding import Table
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described
from clockhands.schemes.turning import cos_and_sin, turned


@final
class ValueRotation(Described):
    """Turns values by their positions too, and outputs back: a value arrives turned by the distance.

    ``inv_freq`` is a fixed tensor ``(pairs,)``, rad / token. Values must be as wide as keys.
    """

    inv_freq: Tensor

    def __init__(self, description: ValueRoPE):
        super().__init__(description)
        self.layout: Layout = description.layout
        self.fix("inv_freq", description.inv_freq())

    def table(self, places: Tensor) -> Table:
        return cos_and_sin(formulas.angles(places, self.inv_freq))

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turned(q, table, self.layout)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return turned(k, table, self.layout)

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        there = turned(v.to(weights.dtype), self.table(ctx.k_places), self.layout)
        return turned(weights @ there, self.table(-ctx.q_places), self.layout)
