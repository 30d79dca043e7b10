"""A bias that hangs on the distance alone, whatever its formula."""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np
import torch
from torch import Tensor

from clockhands.catalogue.own import OwnBias
from clockhands.catalogue.rules import distance_outside
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.schemes.biasing import distance_at, of_heads, require_heads
from clockhands.schemes.described import Described


@final
class DistanceBias(Described):
    """Adds ``description.bias(distance)`` to the logits, computed by numpy for the distances of each call.

    It serves any description with a bias. numpy can't be traced: inside ``torch.compile`` the graph breaks
    here, and no gradient flows to the formula.
    """

    exceptions: ClassVar[dict[str, str]] = {"one-graph": "numpy computes the bias, which torch can't trace"}

    def prepare(self, ctx: Context) -> tuple[Tensor, Tensor]:
        """The bias of each distance, ``(num_heads, distances)``, and which of them ``[b, i, j]`` has."""
        distance = ctx.q_places[:, :, None] - ctx.k_places[:, None, :]
        seen = distance.masked_fill(~ctx.mask[:, 0], 0)  # what nobody looks at may lie outside the formula
        each, which = torch.unique(seen, return_inverse=True)
        values = self.description.bias(each.cpu().numpy())
        assert values is not None
        require_heads(len(values), ctx)
        return torch.tensor(values, dtype=ctx.dtype, device=each.device), which

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        values, which = ctx.prepared
        return values[h, which[b, i, j]]


@final
class TabulatedBias(Described):
    """Adds ``numbers[h, distance]`` of one's own table to the logits; keys ahead of its first column get 0.

    Raises ClockhandsError where a query sees a key at a distance that the table does not have. Inside a
    compiled graph, which can't read the values, such a distance takes the last column instead.
    """

    values: Tensor

    def __init__(self, description: OwnBias):
        super().__init__(description)
        assert description.numbers is not None
        numbers = description.numbers.values
        self.first = description.first_distance
        self.last = self.first + numbers.shape[1] - 1
        nothing = np.zeros((numbers.shape[0], 1))  # column 0: what lies ahead of the first distance
        self.fix("values", np.concatenate((nothing, numbers), axis=1))

    def prepare(self, ctx: Context) -> Tensor:
        require_heads(self.values.shape[0], ctx)
        if not torch.compiler.is_compiling():
            self._require_columns(ctx)
        return self.values.to(ctx.dtype).t()

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        distance = distance_at(ctx, b, i, j).clamp(self.first - 1, self.last)
        return of_heads(ctx.prepared, distance - (self.first - 1), h)

    def _require_columns(self, ctx: Context) -> None:
        distance = ctx.q_places[:, :, None] - ctx.k_places[:, None, :]
        outside = distance > self.last
        if self.first < 0:
            outside |= distance < self.first
        outside &= ctx.mask[:, 0]
        if outside.any():
            raise distance_outside(int(distance[outside][0]), self.first, self.last)


def own_bias(description: OwnBias) -> Encoding:
    """The module for one's own bias: of numbers, or of a function."""
    return DistanceBias(description) if description.numbers is None else TabulatedBias(description)
