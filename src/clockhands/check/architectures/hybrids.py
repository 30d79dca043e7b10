"""Models of attention beside recurrences or convolutions, and some of these alone (h to m)."""

from __future__ import annotations

from clockhands.check.architectures.added import NoPosition
from clockhands.check.architectures.common import LLAMA, NO_POSITION, OTHER, SLIDING_ROPE
from clockhands.check.architectures.latent import latent_width
from clockhands.check.architectures.mixtures import Architecture, ByLayer
from clockhands.check.architectures.patterns import FULL, LINEAR, SLIDING, told_or
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import layer_count
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.settings import Settings

LARA = (LINEAR, SLIDING, LINEAR, FULL, SLIDING)


def jamba_kinds(s: Settings) -> list[str]:
    """Attention in layers 4, 12, … unless told otherwise."""
    period, offset = s.whole("attn_layer_period") or 8, s.get("attn_layer_offset", 4)
    return [FULL if n % period == offset else LINEAR for n in range(layer_count(s))]


def kimi_kinds(s: Settings) -> list[str]:
    """Lists of layers, counted from 1, within ``linear_attn_config``; else every fourth but the first."""
    told = s.within("linear_attn_config")
    full, linear = told.get("full_attn_layers"), told.get("kda_layers")

    def rule(s: Settings, n: int, count: int) -> str:
        if isinstance(full, list) and isinstance(linear, list):
            return FULL if n + 1 in full else LINEAR if n + 1 in linear else ""
        return FULL if n and n % 4 == 0 else LINEAR

    return list(told_or(rule)(s))


def lfm2_kinds(s: Settings) -> list[str]:
    """Attention in the layers of ``full_attn_idxs``, in all where none are told."""
    told = s.get("full_attn_idxs")

    def rule(s: Settings, n: int, count: int) -> str:
        return FULL if not isinstance(told, list) or n in told else "conv"

    return list(told_or(rule)(s))


def lfm3_pattern(s: Settings, n: int, count: int) -> str:
    """Of four layers one sees everything, one a window, two convolve."""
    return FULL if n % 4 == 2 else SLIDING if n % 4 == 0 and n > 0 else "conv"


def is_scaled(s: Settings) -> bool:
    """Whether full layers have scaled frequencies, whose code alone reads ``partial_rotary_factor``."""
    return rope_parameters_of(s, layer_type=FULL, partial=True).values.get("rope_type") != "default"


def alternating(s: Settings) -> list[str]:
    """MiniMax: attention and decaying recurrence by turns."""
    return list(told_or(lambda s, n, count: LINEAR if (n + 1) % 2 == 0 else FULL)(s))


CONVOLVED = ByLayer(lfm2_kinds, {FULL: LLAMA, "conv": OTHER})

HYBRIDS: dict[str, Architecture] = {
    "jamba": ByLayer(jamba_kinds, {FULL: NO_POSITION, LINEAR: OTHER}),
    # Queries and keys have a part that would turn, and doesn't
    "kimi_linear": ByLayer(kimi_kinds, {FULL: NoPosition(head_dim=latent_width), LINEAR: OTHER}),
    "lara_mini": ByLayer(
        told_or(lambda s, n, count: LARA[n % len(LARA)]),
        {LINEAR: OTHER, SLIDING: SLIDING_ROPE, FULL: NO_POSITION},
    ),
    "lfm2": CONVOLVED,
    "lfm2_moe": CONVOLVED,
    "lfm3": ByLayer(
        told_or(lfm3_pattern),
        {
            FULL: Rope(layer_type=FULL, partial=is_scaled),
            SLIDING: Rope(layer_type=SLIDING, window="sliding_window"),
            "conv": OTHER,
        },
    ),
    "mamba": OTHER,
    "mamba2": OTHER,
    "minimax": ByLayer(alternating, {FULL: SLIDING_ROPE, LINEAR: OTHER}),
}
