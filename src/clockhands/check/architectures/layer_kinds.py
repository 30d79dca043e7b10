"""Kinds of layers where a file lists none: rules that configuration classes compute them by."""

from __future__ import annotations

from collections.abc import Callable

from clockhands.check.architectures.widths import layer_count
from clockhands.check.settings import Settings

OLDER_NAMES = {
    "attention": "full_attention",
    "mamba": "linear_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
"""``remap_legacy_layer_types`` of transformers 5.24.0."""


def listed_or(rule: Callable[[Settings, int], bool]) -> Callable[[Settings], list[str]]:
    """``layer_types`` of the file; where it has none, layers that ``rule`` picks see a window."""

    def kinds(s: Settings) -> list[str]:
        count, told = layer_count(s), s.file.get("layer_types")
        told = told[:count] if isinstance(told, list) else []
        named = [OLDER_NAMES.get(each, each) if isinstance(each, str) else "" for each in told]
        rest = ("sliding_attention" if rule(s, n) else "full_attention" for n in range(len(named), count))
        return [*named, *rest]

    return kinds


def but_every(period: int, key: str = "") -> Callable[[Settings, int], bool]:
    """All but every ``period``-th, counted from 1; ``key`` may hold another period."""
    return lambda s, n: (n + 1) % ((s.whole(key) if key else None) or period) != 0


def from_layer(key: str, switch: str) -> Callable[[Settings, int], bool]:
    """Those from the layer that ``key`` says, if ``switch`` is on and a window is given (Qwen2)."""

    def rule(s: Settings, n: int) -> bool:
        first = s.number(key)
        return (
            bool(s.get(switch)) and s.whole("sliding_window") is not None and first is not None and n >= first
        )

    return rule
