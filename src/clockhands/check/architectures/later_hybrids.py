"""Models of attention beside recurrences or convolutions, and some of these alone (n to z)."""

from __future__ import annotations

from clockhands.check.architectures.added import NoPosition
from clockhands.check.architectures.common import LLAMA, NO_POSITION, OTHER
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Together
from clockhands.check.architectures.patterns import FULL, LINEAR, OLDER_NAMES, SLIDING, alike, listed, told_or
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import MOST_LAYERS, counted, layer_count
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.settings import Settings

HYBRID, HYBRID_SLIDING = "hybrid", "hybrid_sliding"

NEMOTRON = {"M": LINEAR, "E": "moe", "*": FULL, "-": "mlp"}


def nemotron_kinds(s: Settings) -> list[str]:
    """A list, or a letter for each layer; ``num_hidden_layers`` is not read."""
    told = listed(s, "layer_types")
    if told:
        return [OLDER_NAMES.get(each, each) if isinstance(each, str) else "" for each in told[:MOST_LAYERS]]
    letters = s.get("hybrid_override_pattern")
    if isinstance(letters, str):
        return [NEMOTRON.get(each, "") for each in letters[:MOST_LAYERS]]
    return [LINEAR, "moe", FULL, "mlp"]


def fourth_or_last(s: Settings, n: int, count: int) -> str:
    """OLMo-Hybrid: attention in every fourth layer; in the last where there are fewer."""
    return FULL if n % 4 == 3 or (count < 4 and n == count - 1) else LINEAR


def is_turned(s: Settings) -> str:
    """OLMo-Hybrid: ``rope_theta`` may be null, and then nothing turns."""
    return str(rope_parameters_of(s, layer_type=None, partial=False).values.get("rope_theta") is not None)


def griffin_kinds(s: Settings) -> list[str]:
    """RecurrentGemma: ``block_types`` over and over, a hundred times at most."""
    told = s.get("block_types")
    block = list(told) if isinstance(told, list | tuple) else []
    count = layer_count(s)
    kinds = (block * min(100, count))[:count]
    return [LINEAR if each == "recurrent" else SLIDING for each in kinds]


def zamba_pattern(s: Settings, n: int, count: int) -> str:
    """Attention in the third layer, and in every sixth counted from the fourth."""
    if n < 3:
        return HYBRID if n == 2 else LINEAR
    period, offset = s.whole("attn_layer_period") or 6, s.get("attn_layer_offset", 4)
    return HYBRID if (n - 3) % period == offset else LINEAR


def zamba2_pattern(s: Settings, n: int, count: int) -> str:
    """Layers of the only size that needs no list."""
    return HYBRID if n in (6, 12, 18, 24, 30, 36, 42, 47, 51) else LINEAR


def doubled_width(s: Settings) -> int | None:
    """``attention_head_dim``, else of twice the hidden width: attention sees the hidden state and what the
    model was given, side by side."""
    hidden, heads = s.whole("hidden_size"), s.whole("num_attention_heads")
    told = s.whole("attention_head_dim")
    return told or (None if hidden is None or heads is None else 2 * hidden // heads)


def half_root(s: Settings, width: int | None) -> float | None:
    """The usual scale of half the width."""
    return None if not width else (width / 2) ** -0.5


def xlstm(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """As many blocks as ``num_blocks`` says, where it is told."""
    count = counted(s, "num_blocks") if s.whole("num_blocks") else layer_count(s)
    return OTHER(s, tuple(range(count)) if layers is None else layers)


def convolved(kind: str) -> Together:
    """Zaya: queries and keys go through short convolutions before they turn; half of every value is that of
    the token before."""
    window = "sliding_window" if kind == HYBRID_SLIDING else None
    return Together((Rope(layer_type=kind, partial=True, window=window), OTHER))


LATER_HYBRIDS: dict[str, Architecture] = {
    # One thing to a layer: its perceptrons and experts, which attend to nothing, count as layers too
    "nemotron_h": ByLayer(nemotron_kinds, {FULL: NO_POSITION, LINEAR: OTHER, "moe": OTHER, "mlp": OTHER}),
    "olmo_hybrid": ByLayer(
        told_or(fourth_or_last),
        {FULL: Chosen(is_turned, {"True": LLAMA, "False": NO_POSITION}), LINEAR: OTHER},
    ),
    "recurrent_gemma": ByLayer(
        griffin_kinds,
        {SLIDING: Rope(partial=True, window="attention_window_size"), LINEAR: OTHER},
    ),
    "rwkv": OTHER,
    "xlstm": xlstm,
    # Attention, then Mamba, in one layer
    "zamba": ByLayer(
        told_or(zamba_pattern),
        {HYBRID: Together((NoPosition(head_dim=doubled_width, scale=half_root), OTHER)), LINEAR: OTHER},
    ),
    "zamba2": ByLayer(
        told_or(zamba2_pattern),
        {
            HYBRID: Together(
                (
                    Chosen(
                        lambda s: str(bool(s.get("use_mem_rope"))),
                        {
                            "True": Rope(head_dim=doubled_width, scale=half_root),
                            "False": NoPosition(head_dim=doubled_width, scale=half_root),
                        },
                    ),
                    OTHER,
                )
            ),
            LINEAR: OTHER,
        },
    ),
    "zaya": ByLayer(alike(HYBRID), {kind: convolved(kind) for kind in (HYBRID, HYBRID_SLIDING)}),
}
