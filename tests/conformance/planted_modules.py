"""Defects of modules: checkpoints, copies, gradients, compilers."""

from __future__ import annotations

import torch
from healthy import WIDTH, Line, Nothing, Rows, Turning, start
from planted_numbers import FrequenciesHalved
from torch import Tensor, nn

from clockhands.catalogue.card import Traits
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table


class FixedTableSaved(Turning):
    """A buffer that is persistent: every checkpoint carries it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("dial", torch.linspace(0, 1, 8))


class FixedParameterSaved(Turning):
    """Constants as parameters that don't train."""

    def __init__(self) -> None:
        super().__init__()
        self.dial = nn.Parameter(torch.linspace(0, 1, 8), requires_grad=False)


class SaysNothingIsLearned(Rows):
    traits = Traits(max_position=64)


class NeedsAnArgument(Turning):
    def __init__(self, head_dim: int) -> None:
        super().__init__()


def made_with_argument() -> Encoding:
    return NeedsAnArgument(8)


class LostOnMeta(FrequenciesHalved):
    """A plain buffer: the meta device and ``to_empty`` leave rubbish in it."""


class HoldsAFunction(Turning):
    """A lambda among its attributes: it can't be pickled."""

    def __init__(self) -> None:
        super().__init__()
        self.speed = lambda place: place


class CopiesStartAnew(Turning):
    """A copy is made with other frequencies than the original."""

    def __deepcopy__(self, memo: object) -> Encoding:
        made = type(self)()
        made.fix("inv_freq", [1.0, 0.5, 0.25, 0.125])
        return made


class TableDetached(Rows):
    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x + self.rows.detach()[places].to(x.dtype)


class ParameterUnused(Rows):
    def __init__(self) -> None:
        super().__init__()
        self.spare = start(WIDTH)


class GradientIsNaN(Rows):
    """A norm whose gradient at zero is not a number."""

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return super().embed(x, places) + (0 * self.rows[places]).square().sum(-1, keepdim=True).sqrt()


class TurnsInPlace(Turning):
    def queries(self, q: Tensor, table: Table) -> Tensor:
        return q.copy_(super().queries(q, table))


class AddsInPlace(Rows):
    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x + 0 if torch.is_grad_enabled() else x.add_(self.rows[places].to(x.dtype))


class MovesPositions(Turning):
    """Positions are made to start at 1, in the caller's own tensor."""

    def place(self, positions: Tensor, tokens: Tensor | None, generator: torch.Generator | None) -> Tensor:
        return positions.add_(1)


class AsksForAValue(Turning):
    """A branch on the value of a tensor breaks the graph."""

    def table(self, places: Tensor) -> Table:
        return super().table(places + 0 if places.max().item() > 8 else places)


class LeavesTorch(Line):
    """numpy in a hook."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        torch._dynamo.graph_break()
        return super().bias_at(ctx, b, h, i, j)


class CompilesDifferently(Nothing):
    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x * 2 if torch.compiler.is_compiling() else x


PLANTED = (
    ("state", FixedTableSaved),
    ("state", FixedParameterSaved),
    ("state", SaysNothingIsLearned),
    ("default", made_with_argument),
    ("copies", LostOnMeta),
    ("copies", FrequenciesHalved),
    ("copies", HoldsAFunction),
    ("copies", CopiesStartAnew),
    ("gradient", TableDetached),
    ("gradient", ParameterUnused),
    ("gradient", GradientIsNaN),
    ("untouched", TurnsInPlace),
    ("untouched", AddsInPlace),
    ("untouched", MovesPositions),
    ("one-graph", AsksForAValue),
    ("one-graph", LeavesTorch),
    ("one-graph", CompilesDifferently),
)
