"""Gemma's generations, and what they have of their own."""

from __future__ import annotations

from collections.abc import Mapping

from clockhands.check.architectures.common import LLAMA, root_key
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, Kinds, last_of
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import Scale, head_width
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.settings import Settings


def both_ways(s: Settings) -> int | None:
    """Gemma 3: with ``use_bidirectional_attention`` half the window, to both sides."""
    window = s.whole("sliding_window")
    if window is None or not s.get("use_bidirectional_attention"):
        return window
    return 2 * (window // 2) + 1  # distances below window // 2 + 1


def all_ways(s: Settings) -> int | None:
    """Gemma 4: the same for ``use_bidirectional_attention = "all"``, but masks take distances up to it."""
    window = s.whole("sliding_window")
    if window is None or s.get("use_bidirectional_attention") != "all":
        return window
    return 2 * (window // 2 + 1) + 1  # distances up to window // 2 + 1


def last_is_full(s: Settings) -> list[str]:
    """Gemma 4: every sixth layer, and the last whatever the file says of it."""
    kinds = list(last_of(6)(s))
    return [*kinds[:-1], FULL]


def full_width(s: Settings) -> int | None:
    """Gemma 4: heads of full attention have a width of their own, under the settings of a layer in files of
    transformers 5, else ``global_head_dim``."""
    layers = s.get("per_layer_config") if s.written("per_layer_config") else None
    if not isinstance(layers, Mapping):
        return s.whole("global_head_dim") or (None if s.written("global_head_dim") else 512)
    first = next((n for n, kind in enumerate(last_is_full(s)) if kind == FULL), 0)
    told = {str(key).lstrip("0") or "0": value for key, value in layers.items()}.get(str(first))
    inner = Settings(told) if isinstance(told, Mapping) else None
    return (inner and inner.whole("head_dim")) or head_width(s)


def is_scaled(s: Settings) -> bool:
    """Gemma 4: ``partial_rotary_factor`` is read where frequencies are scaled, as ``proportional`` are."""
    return rope_parameters_of(s, layer_type=FULL, partial=True).values.get("rope_type") != "default"


def gemma3(kinds: Kinds, scale: Scale) -> ByLayer:
    """Rotary parameters of their own in windows and without."""
    return ByLayer(
        kinds,
        {
            SLIDING: Rope(layer_type=SLIDING, scale=scale, window=both_ways),
            FULL: Rope(layer_type=FULL, scale=scale),
        },
    )


GEMMA3 = gemma3(last_of("sliding_window_pattern", 6), root_key("query_pre_attn_scalar"))
GEMMA3N = gemma3(last_of(5), 1.0)  # queries and keys are normed
GEMMA4 = ByLayer(
    last_is_full,
    {
        SLIDING: Rope(layer_type=SLIDING, scale=1.0, window=all_ways),
        FULL: Rope(layer_type=FULL, scale=1.0, head_dim=full_width, partial=is_scaled),
    },
)

GEMMAS: dict[str, Architecture] = {
    "gemma": LLAMA,
    "gemma2": ByLayer(
        last_of(2),
        {
            SLIDING: Rope(scale=root_key("query_pre_attn_scalar"), window="sliding_window"),
            FULL: Rope(scale=root_key("query_pre_attn_scalar")),
        },
    ),
    "gemma3": Within("text_config", GEMMA3, "gemma3_text"),
    "gemma3_text": GEMMA3,
    "gemma3n": Within("text_config", GEMMA3N, "gemma3n_text"),
    "gemma3n_text": GEMMA3N,
    "gemma4": Within("text_config", GEMMA4, "gemma4_text"),
    "gemma4_text": GEMMA4,
    "gemma4_unified": Within("text_config", GEMMA4, "gemma4_unified_text"),
    "gemma4_unified_text": GEMMA4,
    # Drafters: all their keys and values are another model's, seen to both sides
    "gemma4_assistant": Within("text_config", None, "gemma4_text"),
    "gemma4_unified_assistant": Within("text_config", None, "gemma4_unified_text"),
}
