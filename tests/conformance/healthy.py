"""Small encodings that obey every law: one for each rung of the ladder, none from the catalogue.

They show that the laws hold for more than today's schemes, and planted defects are made from them.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from clockhands.catalogue.card import Traits
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table

HEADS, HEAD_DIM, WIDTH = 4, 8, 32


def start(*shape: int) -> nn.Parameter:
    """Parameters that are random, but the same each time: the suite makes an encoding often."""
    return nn.Parameter(0.5 * torch.randn(shape, generator=torch.Generator().manual_seed(7), device="cpu"))


def distance(ctx: Context) -> Tensor:
    return ctx.q_places[:, :, None] - ctx.k_places[:, None, :]


class Nothing(Encoding):
    traits = Traits(reads="nothing", relative=True)


class Turning(Encoding):
    """A rotation with frequencies ``10 ** -pair``."""

    traits = Traits(relative=True)

    def __init__(self) -> None:
        super().__init__()
        self.fix("inv_freq", [10.0**-pair for pair in range(HEAD_DIM // 2)])

    def table(self, places: Tensor) -> Table:
        angle = places[..., None] * self.inv_freq
        return angle.cos(), angle.sin()

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turn(q, *table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return turn(k, *table)


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    cos, sin = cos[:, None].to(x.dtype), sin[:, None].to(x.dtype)
    u, v = x.chunk(2, dim=-1)
    return torch.cat((u * cos - v * sin, v * cos + u * sin), dim=-1)


class ManyAxes(Turning):
    """Three axes of positions, as in M-RoPE: two pairs for the first, one for each of the others."""

    axes = 3

    def table(self, places: Tensor) -> Table:
        angle = places[..., [0, 0, 1, 2]] * self.inv_freq
        return angle.cos(), angle.sin()


class Scattered(Turning):
    """Positions that start anywhere, as in SHAPE, under a rotation that doesn't care."""

    def place(self, positions: Tensor, tokens: Tensor | None, generator: torch.Generator | None) -> Tensor:
        if generator is None:
            return positions
        return positions + torch.randint(100, (positions.shape[0], 1), generator=generator)


class Dynamic(Turning):
    """A base that grows with the length, as in dynamic NTK scaling."""

    traits = Traits(length_dependent=True)
    exceptions: ClassVar[dict[str, str]] = {"packed": "the frequencies of a row follow its longest document"}

    def table(self, places: Tensor) -> Table:
        longer = places.amax(-1, keepdim=True)[..., None].clamp(min=8) / 8
        angle = places[..., None] * self.inv_freq / longer
        return angle.cos(), angle.sin()


class Rows(Encoding):
    """A learned table, added."""

    traits = Traits(learned=True, max_position=64)

    def __init__(self) -> None:
        super().__init__()
        self.rows = start(64, WIDTH)

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x + self.rows[places].to(x.dtype)


class Beside(Encoding):
    """Eight dimensions of position put beside the tokens."""

    traits = Traits()

    def token_width(self, d_model: int) -> int:
        return d_model - 8

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        angle = places[..., None].double() * torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64)
        code = torch.cat((angle.sin(), angle.cos()), dim=-1).to(x.dtype)
        return torch.cat((x, code.expand(*x.shape[:-1], 8)), dim=-1)


class Line(Encoding):
    """A straight line of bias for each head."""

    traits = Traits(relative=True, mirrored=True)

    def __init__(self) -> None:
        super().__init__()
        self.fix("slopes", [2.0 ** -(head + 1) for head in range(HEADS)])

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return -self.slopes[h] * (ctx.q_places[b, i] - ctx.k_places[b, j]).abs()


class Clipped(Encoding):
    """Learned vectors for distances up to 6, on keys and on values, as Shaw et al. have them."""

    traits = Traits(relative=True, learned=True, horizon=6)

    def __init__(self) -> None:
        super().__init__()
        self.on_keys, self.on_values = start(13, HEAD_DIM), start(13, HEAD_DIM)

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        vectors = self.on_keys.to(ctx.dtype)[distance(ctx).clamp(-6, 6) + 6]
        q = q.to(ctx.dtype)
        by_distance = (q[:, :, :, None] * vectors[:, None]).sum(-1)
        return (q @ k.to(ctx.dtype).transpose(-1, -2) + by_distance) * ctx.scale

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        vectors = self.on_values.to(weights.dtype)[distance(ctx).clamp(-6, 6) + 6]
        return weights @ v.to(weights.dtype) + (weights[..., None] * vectors[:, None]).sum(-2)


class Forgetting(Encoding):
    """A bias made of what each token forgets, as in the Forgetting Transformer."""

    traits = Traits(reads="content", relative=True, learned=True, bidirectional=False)

    def __init__(self) -> None:
        super().__init__()
        self.gate = start(HEADS, WIDTH)

    def annotate(self, x: Tensor) -> Tensor:
        return functional.logsigmoid(x @ self.gate.to(x.dtype).T)

    def prepare(self, ctx: Context) -> Any:
        assert ctx.memory is not None
        return ctx.memory.to(ctx.dtype).cumsum(1)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return ctx.prepared[b, ctx.q_start + i, h] - ctx.prepared[b, j, h]


class Counting(Encoding):
    """Positions that count what the query cares about, as in CoPE: needs whole rows of logits."""

    traits = Traits(reads="content", relative=True, learned=True, bidirectional=False)

    def __init__(self) -> None:
        super().__init__()
        self.codes = start(HEAD_DIM, 12)

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        q, k = q.to(ctx.dtype), k.to(ctx.dtype)
        raw = q @ k.transpose(-1, -2) * ctx.scale
        gates = raw.sigmoid() * ctx.mask
        counts = gates.flip(-1).cumsum(-1).flip(-1).clamp(max=11)
        low, high = counts.floor().long(), counts.ceil().long()
        codes = q @ self.codes.to(ctx.dtype)
        share = counts - low
        return raw + codes.gather(-1, low) * (1 - share) + codes.gather(-1, high) * share


class StickBreaking(Encoding):
    """Weights that break off a stick from the nearest key on, in place of a softmax."""

    traits = Traits(reads="order", relative=True, bidirectional=False)

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        taken = logits.sigmoid() * ctx.mask
        left = (1 - taken).flip(-1).cumprod(-1).flip(-1)
        after = torch.cat((left[..., 1:], torch.ones_like(left[..., :1])), dim=-1)
        return taken * after


HEALTHY = (
    Nothing, Turning, ManyAxes, Scattered, Dynamic, Rows, Beside,
    Line, Clipped, Forgetting, Counting, StickBreaking,
)  # fmt: skip
