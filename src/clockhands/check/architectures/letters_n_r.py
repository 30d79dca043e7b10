"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

from clockhands.check.architectures.added import Learned
from clockhands.check.architectures.layer_kinds import from_layer, listed_or
from clockhands.check.architectures.mixtures import Architecture, ByLayer
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import split_width

QWEN = ByLayer(
    listed_or(from_layer("max_window_layers", switch="use_sliding_window")),
    {
        "full_attention": Rope(),
        "sliding_attention": Rope(
            window=lambda s: s.whole("sliding_window") if s.get("use_sliding_window") else None
        ),
    },
)

ARCHITECTURES: dict[str, Architecture] = {
    "opt": Learned(offset=2, head_dim=split_width),
    "persimmon": Rope(head_dim=split_width, partial=True),
    "phi3": Rope(partial=True, window="sliding_window"),
    "qwen2": QWEN,
    "qwen3": QWEN,
}
