"""GPT-2 and those named after it."""

from __future__ import annotations

from clockhands.check.architectures.added import Learned
from clockhands.check.architectures.common import LLAMA, SLIDING_ROPE
from clockhands.check.architectures.mixtures import Architecture, ByLayer
from clockhands.check.architectures.patterns import FULL, SLIDING, last_of
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import MOST_LAYERS, layer_count, split_width
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


def root_unless_off(s: Settings, width: int | None) -> float | None:
    """The usual scale, 1 where ``scale_attn_weights`` is off."""
    if not s.get("scale_attn_weights", True):
        return 1.0
    return None if not width else width**-0.5


def gpt2(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """A learned table; with ``scale_attn_by_inverse_layer_idx`` scores of layer n are divided by n + 1."""
    layers = tuple(range(layer_count(s))) if layers is None else layers
    if not s.get("scale_attn_by_inverse_layer_idx"):
        return Learned(head_dim=split_width, scale=root_unless_off)(s, layers)

    def divided(n: int) -> Learned:
        def scale(s: Settings, width: int | None) -> float | None:
            whole = root_unless_off(s, width)
            return None if whole is None else whole / (n + 1)

        return Learned(head_dim=split_width, scale=scale)

    return tuple(form for n in layers for form in divided(n)(s, (n,)))


def neo_kinds(s: Settings) -> list[str]:
    """``attention_types``: lists of kinds, each with how often it is repeated; global and local by turns."""
    kinds: list[str] = []
    told = s.get("attention_types")
    for item in told if isinstance(told, list | tuple) else [[["global", "local"], layer_count(s)]]:
        if not (isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], list | tuple)):
            continue
        times = item[1] if isinstance(item[1], int) else 0
        kinds += (
            [str(each) for each in item[0]] * min(max(times, 0), MOST_LAYERS) if len(item[0]) < 64 else []
        )
    return kinds[: layer_count(s)]


GPTJ = Rope(  # the base is a constant of the code
    layout="interleaved", head_dim=split_width, rotary_dim=lambda s: s.whole("rotary_dim"), theta=10000.0
)

GPTS: dict[str, Architecture] = {
    "gpt2": gpt2,
    "gpt-sw3": gpt2,
    "gpt_bigcode": Learned(head_dim=split_width, scale=root_unless_off),
    # Scores are not scaled
    "gpt_neo": ByLayer(
        neo_kinds,
        {
            "global": Learned(head_dim=split_width, scale=1.0),
            "local": Learned(head_dim=split_width, scale=1.0, window="window_size"),
        },
    ),
    "gptj": GPTJ,
    # A part of the head: rotary_pct, a quarter unless told (the Japanese one: all)
    "gpt_neox": Rope(head_dim=split_width, partial=True),
    "gpt_neox_japanese": Rope(head_dim=split_width, partial=True),
    "gpt_oss": ByLayer(last_of(2), {SLIDING: SLIDING_ROPE, FULL: LLAMA}),
}
