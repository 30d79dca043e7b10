"""Defects that show when attention is served: caches, kernels, groups, batches, padding, packing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import torch
from healthy import Dynamic, Forgetting, Line, Nothing, Turning, turn
from torch import Tensor

from clockhands.catalogue.card import Traits
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table


class CentredOnTheLength(Turning):
    """A magnitude centred on the present length: cached keys keep an older centre."""

    def keys(self, k: Tensor, table: Table) -> Tensor:
        cos, _ = table
        steps = torch.arange(cos.shape[1]) - cos.shape[1] / 2
        return super().keys(k, table) * (steps / 50).exp()[:, None].to(k.dtype)


class DynamicUndeclared(Dynamic):
    """Frequencies follow the length, but the cache is not told to keep unrotated keys."""

    traits = Traits()


class ForgetsItsMemory(Forgetting):
    """Sums over the tokens of this call only."""

    def prepare(self, ctx: Context) -> Any:
        assert ctx.memory is not None
        sums = ctx.memory.to(ctx.dtype).cumsum(1)
        return sums - sums[:, ctx.q_start : ctx.q_start + 1] * (ctx.q_start > 0) * (sums > -1)


class CountsFromTheCall(Turning):
    """The first token of each call is at position 0."""

    def table(self, places: Tensor) -> Table:
        return super().table(places - places[:, :1] + 7 * (places[:, :1] > 0))


class SignReversedWhenFused(Line):
    """Right on grids, reversed on scalars: a twin that drifted apart."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        bias = super().bias_at(ctx, b, h, i, j)
        return bias if i.dim() else -bias


class ReadsTheWholeGrid(Line):
    """Looks at its neighbours in the grid, which a kernel does not have."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        bias = super().bias_at(ctx, b, h, i, j)
        return bias * bias.numel()


class DriftedApart(Line):
    """A twin that drifted apart under some calls only."""

    def apart(self, ctx: Context) -> bool:
        raise AssertionError("which calls is for the others to say")

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        bias = super().bias_at(ctx, b, h, i, j)
        return bias if i.dim() or not self.apart(ctx) else -bias


class ReversedUnderAPlainMask(DriftedApart):
    def apart(self, ctx: Context) -> bool:
        return ctx.visibility.causal and ctx.visibility.window is None


class ReversedInBothDirections(DriftedApart):
    traits = Traits(relative=True)

    def apart(self, ctx: Context) -> bool:
        return not ctx.visibility.causal


class ReversedInAWindow(DriftedApart):
    def apart(self, ctx: Context) -> bool:
        return ctx.visibility.window is not None


class ReversedWhereKeysAreShared(DriftedApart):
    def apart(self, ctx: Context) -> bool:
        return ctx.num_heads != ctx.num_kv_heads


class SpeedByKeyHead(Turning):
    """A speed for each head, numbered by the key heads where keys are grouped."""

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return self._by_head(q, table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return self._by_head(k, table)

    @staticmethod
    def _by_head(x: Tensor, table: Table) -> Tensor:
        cos, sin = table
        angle = torch.atan2(sin, cos)
        heads = [
            turn(x[:, head : head + 1], (angle / (head + 1)).cos(), (angle / (head + 1)).sin())
            for head in range(x.shape[1])
        ]
        return torch.cat(heads, dim=1)


class HeadsMixedUp(Nothing):
    """Takes query head h to read key head h modulo the number of key heads."""

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        group = ctx.num_heads // ctx.num_kv_heads
        each = k[:, ::group]
        return super().logits(q, each.repeat(1, group, 1, 1), ctx)


class FirstRowForAll(Turning):
    """The positions of the first row serve the whole batch."""

    def table(self, places: Tensor) -> Table:
        return super().table(places[:1])


class NormalisedOverTheBatch(Nothing):
    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x - x.mean(0, keepdim=True) / 2


class NeedsARowEach(Nothing):
    """Adds its vectors only where positions are said of each row."""

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x + places[..., None].sin() if len(places) == len(x) else x


class CachedByLength(Turning):
    """The table of the first call of a length serves every later one."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[int, Table] = {}

    def table(self, places: Tensor) -> Table:
        return self.kept.setdefault(places.shape[1], super().table(places))


class CachedByFirstCall(Turning):
    """The longest table so far is kept in the dtype of whoever asked first."""

    kept: Tensor | None = None

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        if self.kept is None or self.kept.shape[1] < places.shape[1]:
            self.kept = (places[..., None] * self.inv_freq).sin().sum(-1, keepdim=True).to(x.dtype)
        return x + self.kept[:, : places.shape[1]].to(x.dtype)


class CountsCalls(Nothing):
    """Notes in a hook what it saw, and uses it the next time."""

    seen = 0

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        self.seen += 1
        return x * (1 + self.seen / 100)


class PaddingLeaks(Nothing):
    """Looks at padding: only the order of slots is heeded."""

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        return super().weigh(logits, replace(ctx, visibility=replace(ctx.visibility, valid=None)))


class PaddingIsCounted(Nothing):
    """Keys are counted from the first slot on, padding too."""

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        order = replace(ctx, visibility=replace(ctx.visibility, valid=None))
        raw = super().logits(q, k, ctx)
        return raw + (raw.sigmoid() * order.mask).cumsum(-1).sin()


class PaddingIsNaN(Encoding):
    """A softmax over nothing."""

    traits = Traits(reads="nothing", relative=True)

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        return logits.masked_fill(~ctx.mask, -torch.inf).softmax(-1)


class DocumentsLeak(Nothing):
    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        return super().weigh(logits, replace(ctx, visibility=replace(ctx.visibility, documents=None)))


class PackedUndeclared(Dynamic):
    """The frequencies of a row follow its longest document, and it does not say so."""

    exceptions: ClassVar[dict[str, str]] = {}


PLANTED = (
    ("decode", CentredOnTheLength),
    ("decode", DynamicUndeclared),
    ("decode", ForgetsItsMemory),
    ("decode", CountsFromTheCall),
    ("fused", SignReversedWhenFused),
    ("fused", ReadsTheWholeGrid),
    ("fused", ReversedUnderAPlainMask),
    ("fused", ReversedInBothDirections),
    ("fused", ReversedInAWindow),
    ("fused", ReversedWhereKeysAreShared),
    ("grouped", SpeedByKeyHead),
    ("grouped", HeadsMixedUp),
    ("rows", FirstRowForAll),
    ("rows", NormalisedOverTheBatch),
    ("rows", NeedsARowEach),
    ("no-trace", CachedByLength),
    ("no-trace", CachedByFirstCall),
    ("no-trace", CountsCalls),
    ("padding", PaddingLeaks),
    ("padding", PaddingIsCounted),
    ("padding", PaddingIsNaN),
    ("packed", DocumentsLeak),
    ("packed", PackedUndeclared),
)
