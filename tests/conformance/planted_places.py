"""Defects about where tokens are. Each class names the law that must catch it."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from healthy import Clipped, Counting, Line, ManyAxes, Nothing, Rows, Turning, turn
from torch import Tensor

from clockhands.catalogue.card import Traits
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table


class BiasFromSlots(Line):
    """Tensor indices instead of positions: right until positions have a gap."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return -self.slopes[h] * (ctx.q_start + i - j).abs()


class TableOfSlots(Turning):
    """Only the length of the positions is read."""

    def table(self, places: Tensor) -> Table:
        return super().table(torch.arange(places.shape[1])[None])


class CachedByLength(Turning):
    """The table of the first call of a length serves every later one, in all instances."""

    kept: ClassVar[dict[int, Table]] = {}

    def table(self, places: Tensor) -> Table:
        return self.kept.setdefault(places.shape[1], super().table(places))


class OneAxisForgotten(ManyAxes):
    def table(self, places: Tensor) -> Table:
        return super().table(places[..., [0, 1, 1]])


class SaysItReadsOrder(Turning):
    traits = Traits(reads="order", relative=True)


class GapFromPrevious(Line):
    """Sees that there is a gap, but not how wide it is."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        gaps = (ctx.k_places.diff(dim=1, prepend=ctx.k_places[:, :1]) > 1).cumsum(1)
        behind = (ctx.q_start + i - j) + gaps[b, ctx.q_start + i] - gaps[b, j]
        return -self.slopes[h] * behind.abs()


class KeysNotTurned(Turning):
    def keys(self, k: Tensor, table: Table) -> Tensor:
        return k


class KeysTurnedBackwards(Turning):
    def keys(self, k: Tensor, table: Table) -> Tensor:
        cos, sin = table
        return turn(k, cos, -sin)


class SaysItIsRelative(Rows):
    traits = Traits(learned=True, relative=True, max_position=64)


class SaysItsAxesCommute(Encoding):
    """Turns about two axes that don't commute: relative on the line on which both are equal, and no other."""

    traits = Traits(relative=True)
    axes = 2

    def table(self, places: Tensor) -> Table:
        generators = torch.zeros(2, 8, 8, dtype=torch.float64)
        generators[0, [0, 1], [1, 2]], generators[1, [0, 3], [2, 4]] = 0.3, 0.2
        turned = (places[..., None, None].double() * (generators - generators.mT)).sum(-3)
        return torch.linalg.matrix_exp(turned)

    def queries(self, q: Tensor, table: Table) -> Tensor:
        assert isinstance(table, Tensor)
        return (table[:, None] @ q.double()[..., None]).squeeze(-1).to(q.dtype)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return self.queries(k, table)


class GatesUnmasked(Counting):
    """Counts keys that come after the query."""

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        q, k = q.to(ctx.dtype), k.to(ctx.dtype)
        raw = q @ k.transpose(-1, -2) * ctx.scale
        counts = raw.sigmoid().flip(-1).cumsum(-1).flip(-1).clamp(max=11)
        return raw + (q @ self.codes.to(ctx.dtype)).gather(-1, counts.round().long())


class MaskOffByOne(Nothing):
    """A query sees the token after it."""

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        later = ctx.mask | ctx.mask.roll(1, dims=-1)
        return logits.masked_fill(~later, torch.finfo(logits.dtype).min).softmax(-1)


class TableKnowsTheFuture(Turning):
    """Hidden states are shifted by the mean over the whole text."""

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x - x.mean(1, keepdim=True)


class NothingTurned(Turning):
    """Both angles are zero: no token is anywhere."""

    def table(self, places: Tensor) -> Table:
        cos, sin = super().table(places * 0)
        return cos, sin


class HidesItsHorizon(Clipped):
    """Blind past distance 6, and does not say so."""

    traits = Traits(relative=True, learned=True)


class SaysItSeesFurther(Clipped):
    traits = Traits(relative=True, learned=True, horizon=20)


class SaysItTellsSides(Line):
    """A bias by absolute distance is the same on both sides."""

    traits = Traits(relative=True)


class SaysSidesLookAlike(Turning):
    traits = Traits(relative=True, mirrored=True)


class FutureAllAlike(Line):
    """Whatever lies ahead gets the bias of distance 0, as in T5 for a causal mask."""

    traits = Traits(relative=True)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return -self.slopes[h] * (ctx.q_places[b, i] - ctx.k_places[b, j]).clamp(min=0)


class GrowsWithoutBound(Encoding):
    """Queries grow and keys shrink with position, as in xPos that is not centred."""

    traits = Traits(relative=True)

    def table(self, places: Tensor) -> Table:
        return ((places.double() / 100).exp(),)

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return (q * table[0][:, None, :, None]).to(q.dtype)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return (k / table[0][:, None, :, None]).to(k.dtype)


class BiasOverflows(Line):
    """A bias squared: infinite at far distances, and so at positions that are far from 0."""

    def prepare(self, ctx: Context) -> Any:
        return ctx.q_places.half() ** 2

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return ctx.prepared[b, i] - ctx.k_places[b, j].half() ** 2


PLANTED = (
    ("gap", BiasFromSlots),
    ("gap", TableOfSlots),
    ("gap", CachedByLength),
    ("gap", OneAxisForgotten),
    ("gap", SaysItReadsOrder),
    ("gap", GapFromPrevious),
    ("shift", KeysNotTurned),
    ("shift", KeysTurnedBackwards),
    ("shift", SaysItIsRelative),
    ("shift", SaysItsAxesCommute),
    ("causal", GatesUnmasked),
    ("causal", MaskOffByOne),
    ("causal", TableKnowsTheFuture),
    ("matters", NothingTurned),
    ("matters", HidesItsHorizon),
    ("matters", SaysItSeesFurther),
    ("sides", SaysItTellsSides),
    ("sides", SaysSidesLookAlike),
    ("sides", FutureAllAlike),
    ("far", GrowsWithoutBound),
    ("far", BiasOverflows),
)
