"""ModernBERT, as an encoder and as a decoder."""

from __future__ import annotations

from clockhands.check.architectures.mixtures import Architecture, ByLayer, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, told_or
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import Width, split_width
from clockhands.check.settings import Settings


def pattern(s: Settings, n: int, count: int) -> str:
    """Every ``global_attn_every_n_layers``-th layer sees everything, the first among them."""
    return SLIDING if n % (s.whole("global_attn_every_n_layers") or 3) else FULL


def half(s: Settings) -> int | None:
    """Half of ``local_attention``, unless ``sliding_window`` is told."""
    told, local = s.whole("sliding_window"), s.whole("local_attention")
    return told if s.written("sliding_window") else None if local is None else local // 2


def both_sides(s: Settings) -> int | None:
    """So many tokens to either side, and the token itself."""
    window = half(s)
    return None if window is None else 2 * window + 1


def modern_bert(window: Width) -> ByLayer:
    """Bases of their own in windows and without."""
    return ByLayer(
        told_or(pattern),
        {
            FULL: Rope(head_dim=split_width, layer_type=FULL),
            SLIDING: Rope(head_dim=split_width, layer_type=SLIDING, window=window),
        },
    )


MODERN_BERTS: dict[str, Architecture] = {
    "modernbert": modern_bert(both_sides),
    "modernbert-decoder": modern_bert(half),  # a causal mask: half of local_attention, the token among them
    "modernvbert": Within("text_config", None, "modernbert"),
}
