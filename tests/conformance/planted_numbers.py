"""Defects of precision, and of turning that is more than turning."""

from __future__ import annotations

from typing import Any

import torch
from healthy import Line, Nothing, Turning, turn
from torch import Tensor

from clockhands.catalogue.card import Traits
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table


class SineForgotten(Turning):
    """Each half is scaled by a cosine and nothing is turned."""

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turn(q, table[0], torch.zeros_like(table[1]))


class MagnitudeOnKeys(Turning):
    """An attention factor on the keys instead of in ``score_scale``."""

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return 1.3 * super().keys(k, table)


class OnlyQueriesAndLonger(Nothing):
    def queries(self, q: Tensor, table: Table) -> Tensor:
        return 1.5 * q


class PairsOverlap(Turning):
    """Pairs of neighbouring dimensions, the second of which is in two pairs."""

    def queries(self, q: Tensor, table: Table) -> Tensor:
        cos, sin = (part[:, None].repeat_interleave(2, -1).to(q.dtype) for part in table)
        return q * cos + q.roll(1, -1) * sin


class PositionsInActivationDtype(Encoding):
    """Positions and angles in the dtype of the queries: past 256, bfloat16 merges neighbours."""

    traits = Traits(relative=True)

    def table(self, places: Tensor) -> Table:
        return places

    def queries(self, q: Tensor, table: Table) -> Tensor:
        angle = table.to(q.dtype)[..., None] * torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=q.dtype)
        return turn(q, angle.cos(), angle.sin())

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return self.queries(k, table)


class FrequenciesHalved(Encoding):
    """An ordinary buffer: after ``half()`` the frequencies are float16 for good."""

    traits = Traits(relative=True)
    inv_freq: Tensor

    def __init__(self) -> None:
        super().__init__()
        inv_freq = torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64)
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def table(self, places: Tensor) -> Table:
        angle = places[..., None] * self.inv_freq.double()
        return angle.cos(), angle.sin()

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turn(q, *table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return turn(k, *table)


class PromotesItsOutput(Turning):
    """float64 in the table, and so in the output."""

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return super().queries(q.to(table[0].dtype), table)


class EmbedsInFloat32(Nothing):
    traits = Traits(reads="nothing", relative=True)

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x.float() if x.dtype == torch.bfloat16 else x


class BiasInActivationDtype(Line):
    """Distances rounded to the dtype of a model in float16."""

    def prepare(self, ctx: Context) -> Any:
        narrow = torch.bfloat16 if ctx.dtype == torch.float32 else torch.float64
        return ctx.q_places.to(narrow), ctx.k_places.to(narrow)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        q_places, k_places = ctx.prepared
        return -self.slopes[h] / 64 * (q_places[b, i] - k_places[b, j])


PLANTED = (
    ("isometry", SineForgotten),
    ("isometry", MagnitudeOnKeys),
    ("isometry", OnlyQueriesAndLonger),
    ("isometry", PairsOverlap),
    ("dtype", PositionsInActivationDtype),
    ("dtype", FrequenciesHalved),
    ("dtype", PromotesItsOutput),
    ("dtype", EmbedsInFloat32),
    ("dtype", BiasInActivationDtype),
)
