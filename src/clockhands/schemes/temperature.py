"""Queries that grow with their position: a softmax temperature that falls in steps."""

from __future__ import annotations

from typing import ClassVar, final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.temperature_nope import NoPETemperature
from clockhands.catalogue.temperature_rope import RoPETemperature
from clockhands.core.encoding import Table
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described
from clockhands.schemes.turning import cos_and_sin, turned

_GROWS: dict[str, str] = {"isometry": "queries grow with their position: that is the temperature"}


@final
class TemperedNothing(Described):
    """Queries times ``1 + beta * ln(1 + floor((position + 1) / floor_scale))``; nothing else."""

    exceptions: ClassVar[dict[str, str]] = _GROWS | {
        "gap": "a gap is seen only where it crosses a multiple of floor_scale",
        "matters": "keys know no position, so earlier tokens can change places",
    }

    def __init__(self, description: NoPETemperature):
        super().__init__(description)
        self.beta, self.floor_scale = float(description.beta), description.floor_scale

    def table(self, places: Tensor) -> Table:
        return formulas.stepped_temperature(places + 1, self.beta, self.floor_scale)

    def queries(self, q: Tensor, table: Table) -> Tensor:
        assert isinstance(table, Tensor)
        return (q * table[:, None, :, None]).to(q.dtype)


@final
class TemperedRotation(Described):
    """Rotation, with queries times ``1 + beta * ln(1 + floor(position / L))``; L tokens make a step."""

    exceptions: ClassVar[dict[str, str]] = _GROWS
    inv_freq: Tensor

    def __init__(self, description: RoPETemperature):
        super().__init__(description)
        self.layout: Layout = description.layout
        self.beta, self.length = float(description.beta), description.original_max_position_embeddings
        self.fix("inv_freq", description.inv_freq())

    def table(self, places: Tensor) -> Table:
        growth = formulas.stepped_temperature(places, self.beta, self.length)
        return *cos_and_sin(formulas.angles(places, self.inv_freq)), growth

    def queries(self, q: Tensor, table: Table) -> Tensor:
        assert isinstance(table, tuple)
        return (turned(q, table[:2], self.layout) * table[2][:, None, :, None]).to(q.dtype)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        assert isinstance(table, tuple)
        return turned(k, table[:2], self.layout)
