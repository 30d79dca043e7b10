"""Qwen's generations of text models."""

from __future__ import annotations

from clockhands.check.architectures.axes import ThreeAxes
from clockhands.check.architectures.common import LLAMA, OTHER
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Within
from clockhands.check.architectures.patterns import FULL, LINEAR, SLIDING, last_of, windows_where
from clockhands.check.architectures.rope import Rope
from clockhands.check.settings import Settings

INDEXED = "indexed_attention"


def if_used(s: Settings) -> int | None:
    """``sliding_window``, where ``use_sliding_window`` is on."""
    return s.whole("sliding_window") if s.get("use_sliding_window") else None


def past_the_whole_ones(s: Settings, n: int) -> bool:
    """Qwen2: layers from ``max_window_layers`` on, where windows are on and one is given."""
    first = s.number("max_window_layers")
    return if_used(s) is not None and first is not None and n >= first


def every_other(s: Settings, n: int) -> bool:
    """Qwen2-MoE: of the layers before ``max_window_layers`` those of even number, where windows are on."""
    first = s.number("max_window_layers")
    return bool(s.get("use_sliding_window")) and n % 2 == 0 and first is not None and n < first


SLIDING_IF_USED = Rope(window=if_used)
QWEN = ByLayer(
    windows_where(past_the_whole_ones),
    {FULL: LLAMA, SLIDING: SLIDING_IF_USED},
)

THREE_AXES = ThreeAxes(partial=True, mrope=(11, 11, 10), mrope_interleaved=True)
"""A quarter of the head turns unless told."""

EVERY_FOURTH = last_of("full_attention_interval", 4, others=LINEAR)

NEXT = ByLayer(EVERY_FOURTH, {FULL: Rope(partial=True), LINEAR: OTHER})
QWEN3_5 = ByLayer(EVERY_FOURTH, {FULL: THREE_AXES, LINEAR: OTHER})

# The whole head unless told. An indexer, which picks keys, turns the same dimensions of its own heads; layers
# of ple_layer_ids add vectors of the last few tokens besides
QWEN4 = ByLayer(
    last_of("full_attention_interval", 4, last=INDEXED, others=LINEAR),
    {INDEXED: THREE_AXES, FULL: THREE_AXES, LINEAR: OTHER},
)

QWENS: dict[str, Architecture] = {
    "qwen2": QWEN,
    "qwen2_moe": ByLayer(windows_where(every_other), {FULL: LLAMA, SLIDING: SLIDING_IF_USED}),
    "qwen3": QWEN,
    "qwen3_moe": SLIDING_IF_USED,  # in every layer, where windows are on
    "qwen3_next": NEXT,
    "qwen3_5": Within("text_config", QWEN3_5, "qwen3_5_text"),
    "qwen3_5_text": QWEN3_5,
    "qwen3_5_moe": Within("text_config", QWEN3_5, "qwen3_5_moe_text"),
    "qwen3_5_moe_text": QWEN3_5,
    "qwen4_exp": Within("text_config", QWEN4, "qwen4_exp_text"),
    "qwen4_exp_text": QWEN4,
}
