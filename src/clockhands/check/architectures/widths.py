"""Sizes that every architecture has, whatever its configuration calls them."""

from __future__ import annotations

from collections.abc import Callable

from clockhands.check.saying import number
from clockhands.check.settings import Settings
from clockhands.errors import BadParameter

Width = Callable[[Settings], int | None]
Scale = float | Callable[[Settings, int | None], float | None]

MOST_LAYERS = 10_000
"""More than any model has: a number past it is a slip or a trap, and layers are listed one by one."""


def head_width(s: Settings) -> int | None:
    """Width of a head: ``head_dim`` where it is given, else the hidden width by the heads."""
    given = s.whole("head_dim")
    return split_width(s) if given is None else given


def split_width(s: Settings) -> int | None:
    """Hidden width by the heads, for classes that know no ``head_dim``."""
    hidden, heads = s.whole("hidden_size"), s.whole("num_attention_heads")
    return None if hidden is None or heads is None else hidden // heads


def wide_by_heads(s: Settings) -> int | None:
    """The same of BLOOM and Falcon, whose older files call the hidden width ``n_embed``."""
    hidden, heads = s.whole("n_embed") or s.whole("hidden_size"), s.whole("num_attention_heads")
    return None if hidden is None or heads is None else hidden // heads


def layer_count(s: Settings) -> int:
    """Layers of the (only) stack; one where the configuration doesn't say."""
    return counted(s, "num_hidden_layers")


def counted(s: Settings, key: str) -> int:
    """Layers under this key, one where it says none. Raises BadParameter past ``MOST_LAYERS``."""
    count = s.whole(key) or 1
    if count > MOST_LAYERS:
        raise BadParameter(
            s.written(key) or key,
            f" is {number(count)}: no model has more than {number(MOST_LAYERS)} layers, so write their "
            "number",
            f" 为 {number(count)}：没有模型超过 {number(MOST_LAYERS)} 层，请写上层数",
        )
    return count


def root_of_width(s: Settings, width: int | None) -> float | None:
    """The usual scale of scores, one over the root of the width of a query."""
    return None if not width else width**-0.5
