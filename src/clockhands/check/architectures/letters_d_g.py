"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

import math
from dataclasses import replace

from clockhands.check.architectures.added import Learned
from clockhands.check.architectures.layer_kinds import but_every, listed_or
from clockhands.check.architectures.mixtures import Architecture, ByLayer
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import layer_count, split_width
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.settings import Settings, finite


def latent_width(s: Settings) -> int | None:
    """Of a query of latent attention: the part that doesn't turn, then the part that does."""
    unturned, turned = s.whole("qk_nope_head_dim"), s.whole("qk_rope_head_dim")
    return None if turned is None else (unturned or 0) + turned


def latent_scale(s: Settings, width: int | None) -> float | None:
    """With YaRN's magnitude for all dimensions, squared (``yarn_apply_mscale``)."""
    if not width:
        return None
    values = rope_parameters_of(s, layer_type=None, partial=False).values
    weight, factor = finite(values.get("mscale_all_dim")), finite(values.get("factor"))
    if values.get("rope_type") == "default" or not weight or not factor:
        return width**-0.5
    magnitude = 0.1 * weight * math.log(factor) + 1 if factor > 1 else 1.0
    return width**-0.5 * magnitude * magnitude


def gemma_scale(s: Settings, width: int | None) -> float | None:
    """By ``query_pre_attn_scalar``, not by the width."""
    scalar = s.number("query_pre_attn_scalar")
    return None if scalar is None or scalar <= 0 else scalar**-0.5


def gpt2(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """A table; scores may be divided by the width and by the number of the layer."""
    layers = tuple(range(layer_count(s))) if layers is None else layers
    unscaled = not s.get("scale_attn_weights", True)
    table = Learned(head_dim=split_width, scale=1.0) if unscaled else Learned(head_dim=split_width)
    (form,) = table(s, layers)
    if not s.get("scale_attn_by_inverse_layer_idx") or form.score_scale is None:
        return (form,)
    return tuple(replace(form, layers=(n,), score_scale=form.score_scale / (n + 1)) for n in layers)


def gemma3_window(s: Settings) -> int | None:
    """Half as wide to either side where attention looks both ways."""
    window = s.whole("sliding_window")
    return window // 2 + 1 if window is not None and s.get("use_bidirectional_attention") else window


ARCHITECTURES: dict[str, Architecture] = {
    "deepseek_v3": Rope(
        layout=lambda s: "interleaved" if s.get("rope_interleave", True) else "half",
        head_dim=latent_width,
        rotary_dim=lambda s: s.whole("qk_rope_head_dim"),
        rotary_dims="suffix",
        scale=latent_scale,
    ),
    "gemma": Rope(),
    "gemma2": ByLayer(
        listed_or(but_every(2)),
        {
            "full_attention": Rope(scale=gemma_scale),
            "sliding_attention": Rope(scale=gemma_scale, window="sliding_window"),
        },
    ),
    "gemma3_text": ByLayer(
        listed_or(but_every(6, "sliding_window_pattern")),
        {
            "full_attention": Rope(scale=gemma_scale, layer_type="full_attention"),
            "sliding_attention": Rope(
                scale=gemma_scale, layer_type="sliding_attention", window=gemma3_window
            ),
        },
    ),
    "gpt2": gpt2,
    "gpt_neox": Rope(head_dim=split_width, partial=True),
    "gptj": Rope(
        layout="interleaved",
        head_dim=split_width,
        rotary_dim=lambda s: s.whole("rotary_dim") or split_width(s),
        theta=10000.0,
    ),
}
