"""Encodings that count how often they are asked, for tests of what layers share."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from clockhands.core.attend import Placed, attend, enter
from clockhands.core.back_ends import Dense
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding


class Counted(Encoding):
    """A line, which counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
        self.asked += 1
        return -0.1 * (h + 1) * (ctx.q_places[b, i] - ctx.k_places[b, j])


class Trained(Counted):
    def __init__(self) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.ones(()))

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
        bias = super().bias_at(ctx, b, h, i, j)
        return None if bias is None else self.factor * bias


class Flat(Counted):
    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
        return torch.zeros(()).expand(1, 1, 1, 1)


class Annotated(Counted):
    """A line that knows what hidden states say."""

    def annotate(self, x: Tensor) -> Tensor | None:
        return x[..., :1]

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
        bias = super().bias_at(ctx, b, h, i, j)
        assert bias is not None
        assert ctx.memory is not None
        return bias * ctx.memory[b, j, 0]


def heads(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def entered(encoding: Encoding, length: int = 9, layers: int = 3) -> tuple[Placed, ...]:
    return enter([encoding] * layers, torch.zeros(2, length, 8))[1]


def asked(encoding: Counted, layers: tuple[Placed, ...], **how: Any) -> int:
    """How often the layers ask for the bias, whose outputs must be those of the reference."""
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    before = encoding.asked
    outputs = [attend(placed, q, k, v, **how).output for placed in layers]
    count = encoding.asked - before
    how["back_ends"] = (Dense(),)
    for placed, output in zip(layers, outputs, strict=True):
        wanted = attend(placed, q, k, v, **how).output
        torch.testing.assert_close(output, wanted)
    return count
