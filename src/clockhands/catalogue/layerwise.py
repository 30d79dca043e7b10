"""What untrained numbers share: a seed, widths that fit one another, and draws of its own for each layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_count, require_heads
from clockhands.errors import ClockhandsError


def require_widths(d_model: int, num_heads: int, *, even: bool = False) -> None:
    """``num_heads`` must divide ``d_model``, into heads of an even width where asked."""
    require_heads(num_heads)
    require_count(d_model, "d_model")
    if d_model % num_heads:
        raise ClockhandsError(
            f"d_model is {d_model}, which {num_heads} heads can't share evenly: use a multiple of num_heads",
            f"d_model 为 {d_model}，不能平均分给 {num_heads} 个头：请用 num_heads 的倍数",
        )
    if even:
        require_count(d_model // num_heads, "head_dim (d_model / num_heads)", least=2, even=True)


def require_seed(seed: int) -> None:
    """A seed that random numbers can start from."""
    require_count(seed, "seed", least=0, most=2**63 - 1)


def seed_of_layer(seed: int, layer: int) -> int:
    """The seed of layer ``layer`` (0-based): the first has ``seed`` itself, each other one its own.

    >>> seed_of_layer(7, 0), seed_of_layer(7, 1) != seed_of_layer(8, 0)
    (7, True)
    """
    return seed if layer == 0 else int(np.random.SeedSequence((seed, layer)).generate_state(1)[0])


class Seeded(Description):
    """Numbers that training sets are drawn with ``seed``, a field of each subclass."""

    seed: int

    @property
    def untrained_seed(self) -> int | None:
        return self.seed


class Layerwise(Seeded):
    """The same where each layer has numbers of its own."""

    def at_layer(self, layer: int, num_layers: int) -> Self:
        return replace(self, seed=seed_of_layer(self.seed, layer))
