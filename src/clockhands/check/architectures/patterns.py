"""Which layer is of which kind: what a file says, else the pattern of the class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from clockhands.check.architectures.widths import layer_count
from clockhands.check.settings import Settings

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"

Kinds = Callable[[Settings], Sequence[str]]

OLDER_NAMES = {
    "attention": "full_attention",
    "mamba": "linear_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
"""``remap_legacy_layer_types`` of transformers 5.24.0."""


def told_or(rule: Callable[[Settings, int, int], str], key: str = "layer_types") -> Kinds:
    """A list that the file holds under ``key``, else ``rule(settings, layer, layers)`` for every layer.

    A default of the class is never taken: its list is as long as the default model, not as this one.
    """

    def kinds(s: Settings) -> Sequence[str]:
        count, told = layer_count(s), listed(s, key)
        named = [OLDER_NAMES.get(each, each) if isinstance(each, str) else "" for each in told[:count]]
        return named + [rule(s, n, count) for n in range(len(named), count)]

    return kinds


def listed(s: Settings, key: str) -> list[Any]:
    """A list that the file itself holds under this key, else an empty one."""
    value = s.get(key) if s.written(key) else None
    return list(value) if isinstance(value, list | tuple) else []


def alike(kind: str) -> Kinds:
    """Every layer of one kind, unless the file lists them."""
    return told_or(lambda s, n, count: kind)


def last_of(period: int | str, default: int = 1, *, last: str = FULL, others: str = SLIDING) -> Kinds:
    """Every ``period``-th layer is ``last``, counted from 1: layers 3, 7, … for 4.

    period  a number, or the key that holds it (``default`` where it holds none)
    """

    def rule(s: Settings, n: int, count: int) -> str:
        step = period if isinstance(period, int) else s.whole(period) or default
        return others if (n + 1) % step else last

    return told_or(rule)


def first_of(period: int, *, first: str = FULL, others: str = SLIDING) -> Kinds:
    """Every ``period``-th layer is ``first``, counted from 0: layers 0, 4, … for 4."""
    return told_or(lambda s, n, count: others if n % period else first)


def windows_where(rule: Callable[[Settings, int], bool]) -> Kinds:
    """Layers that ``rule(settings, layer)`` picks see a window, unless the file lists them."""
    return told_or(lambda s, n, count: SLIDING if rule(s, n) else FULL)
