"""Sizes that every architecture has, whatever its configuration calls them."""

from __future__ import annotations

from clockhands.check.settings import Settings


def head_width(s: Settings) -> int | None:
    """Width of a head: ``head_dim`` where it is given, else the hidden width by the heads."""
    given = s.whole("head_dim")
    return split_width(s) if given is None else given


def split_width(s: Settings) -> int | None:
    """Hidden width by the heads, for classes that know no ``head_dim``."""
    hidden, heads = s.whole("hidden_size"), s.whole("num_attention_heads")
    return None if hidden is None or heads is None else hidden // heads


def layer_count(s: Settings) -> int:
    """Layers of the (only) stack; one where the configuration doesn't say."""
    return s.whole("num_hidden_layers") or 1


def root_of_width(s: Settings, width: int | None) -> float | None:
    """The usual scale of scores, one over the root of the width of a query."""
    return None if not width else width**-0.5
