"""What encodings share that read the hidden states: widths, and numbers of its own for each layer."""

from __future__ import annotations

from typing import Protocol

import numpy as np

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


class Householder(Protocol):
    """The sizes of PaTH and PaTH-FoX."""

    @property
    def d_model(self) -> int: ...
    @property
    def num_heads(self) -> int: ...
    @property
    def num_kv_heads(self) -> int | None: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def conv_size(self) -> int: ...
    @property
    def seed(self) -> int: ...


def require_householder(sizes: Householder) -> None:
    """Sizes of mirrors along the tokens that fit one another."""
    require_widths(sizes.d_model, sizes.num_heads)
    if sizes.num_kv_heads is not None:
        require_count(sizes.num_kv_heads, "num_kv_heads", most=sizes.num_heads)
        if sizes.num_heads % sizes.num_kv_heads:
            raise ClockhandsError(
                f"num_kv_heads is {sizes.num_kv_heads}, which doesn't divide num_heads {sizes.num_heads}: "
                "use a divisor of it",
                f"num_kv_heads 为 {sizes.num_kv_heads}，不能整除 num_heads（{sizes.num_heads}）："
                "请用它的约数",
            )
    if sizes.rank is not None:
        require_count(sizes.rank, "rank")
    require_count(sizes.conv_size, "conv_size", most=64)
    require_seed(sizes.seed)
