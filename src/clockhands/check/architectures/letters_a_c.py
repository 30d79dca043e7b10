"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0.

``score_scale`` is that of the product of queries and keys as they leave their projections and norms, wherever
the code multiplies by it.
"""

from __future__ import annotations

from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.axes import ThreeAxes
from clockhands.check.architectures.common import (
    BERT,
    LLAMA,
    NARROW_BERT,
    NO_POSITION,
    OTHER,
    ROBERTA,
    SLIDING_ROPE,
    learned_stacks,
    published_slopes,
)
from clockhands.check.architectures.latent import latent, layout_told
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Together, Within
from clockhands.check.architectures.patterns import FULL, LINEAR, SLIDING, first_of, last_of, listed, told_or
from clockhands.check.architectures.relative import Alibi, Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import layer_count, root_of_width, split_width, wide_by_heads
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import RopeParameters
from clockhands.check.settings import Settings


def bamba_kinds(s: Settings) -> list[str]:
    """Attention in the layers of ``attn_layer_indices``, Mamba in all others."""
    attending = {n for n in listed(s, "attn_layer_indices") if isinstance(n, int)}
    return [FULL if n in attending else LINEAR for n in range(layer_count(s))]


def turned_unless_null(
    kind: str, turned: Architecture, *, otherwise: str = "turned", unturned: Architecture | None = None
) -> Chosen:
    """Layers of a kind whose entry in ``rope_parameters`` may be null: then nothing turns.

    otherwise  what they are where the file holds no such entry
    """

    def by(s: Settings) -> str:
        given = s.within("rope_parameters")
        if kind not in given:
            return otherwise
        return "unturned" if given[kind] is None else "turned"

    window = "sliding_window" if kind == SLIDING else None
    return Chosen(by, {"turned": turned, "unturned": unturned or NoPosition(window=window)})


def compass(kind: str) -> Chosen:
    """Compass: layers of this kind have three axes, or do not turn at all."""
    window = "sliding_window" if kind == SLIDING else None
    turned = ThreeAxes(mrope=(24, 20, 20), mrope_interleaved=True, layer_type=kind, window=window)
    return turned_unless_null(kind, turned)


def beam_scale(s: Settings, width: int | None) -> float | None:
    """Unturned queries are multiplied by ((position + 1) / 2048 + 1) ** 0.1: that of the first one."""
    return None if not width else (1 / 2048 + 1) ** 0.1 * width**-0.5


def beam_pattern(s: Settings, n: int, count: int) -> str:
    """Every sixth layer and the last."""
    return SLIDING if (n + 1) % 6 and n != count - 1 else FULL


def cohere2_moe_kinds(s: Settings) -> list[str]:
    """Dense layers come first and have a window pattern of their own; where that is 1 they are turned all the
    same (``force_rope``)."""
    first = s.whole("first_k_dense_replace") or 0
    prefix, period = (
        s.whole("prefix_dense_sliding_window_pattern") or 1,
        s.whole("sliding_window_pattern") or 4,
    )

    def rule(s: Settings, n: int, count: int) -> str:
        return SLIDING if ((n + 1) % prefix if n < first else (n - first + 1) % period) else FULL

    def dense(s: Settings, n: int, count: int) -> str:
        return "dense" if n < first else "sparse"

    kinds = told_or(rule)(s)
    forced = told_or(dense, "mlp_layer_types")(s) if prefix == 1 else [""] * len(kinds)
    return [
        "forced" if (kind, mlp) == (FULL, "dense") else kind for kind, mlp in zip(kinds, forced, strict=True)
    ]


class Unscaled(Rope):
    """Cohere2-MoE: ``rope_scaling`` is a field of the configuration of which nothing is made."""

    def parameters(self, s: Settings) -> RopeParameters:
        """The base beside it only; a dictionary ``rope_parameters`` replaces what was made of both."""
        if s.written("rope_parameters"):
            return super().parameters(s)
        written = s.written("rope_theta")
        return RopeParameters(
            {"rope_type": "default", "rope_theta": s.get("rope_theta", 10000.0)},
            {"rope_theta": written} if written else {},
            {"rope_scaling": "rope_scaling"} if s.written("rope_scaling") else {},
        )


def byte_latent(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """BLT: bytes in and out through local stacks, whose window is told outside them, patches between.

    The patcher, a small model that only cuts patches, is not listed.
    """
    window = s.whole("local_attention_window_len")
    local = Rope(layout="interleaved", head_dim=split_width, window=lambda inner: window)
    whole = Rope(layout="interleaved", head_dim=split_width)
    parts = (
        Within("encoder_config", local, "blt_local_encoder", "encoder"),
        Within("global_config", whole, "blt_global_transformer"),
        Within("decoder_config", local, "blt_local_decoder", "decoder"),
    )
    return Together(parts)(s)


def conv_head(s: Settings) -> int | None:
    """ConvBERT: one in ``head_ratio`` heads is left, of half the width that is then free."""
    hidden, heads, ratio = s.whole("hidden_size"), s.whole("num_attention_heads"), s.whole("head_ratio")
    if hidden is None or heads is None or ratio is None:
        return None
    return hidden // max(heads // ratio, 1) // 2


INTERLEAVED = Rope(layout="interleaved")

ARCHITECTURES: dict[str, Architecture] = {
    # Whole heads in halves, all layers alike
    "apertus": LLAMA,
    "apertus1p5": Within("text_config", LLAMA, "apertus1p5_text"),
    "apertus1p5_text": LLAMA,
    "arcee": LLAMA,
    "aria": Within("text_config", LLAMA, "aria_text"),
    "aria_text": LLAMA,
    "bitnet": LLAMA,
    # cos and sin repeated two by two, rotate_half over even and odd dimensions
    "cohere": INTERLEAVED,
    "blt": byte_latent,
    # GPT-J's pairs over the first rotary_dim dimensions; the base is a constant of the code
    "codegen": Rope(
        layout="interleaved",
        head_dim=split_width,
        rotary_dim=lambda s: s.whole("rotary_dim"),
        theta=10000.0,
    ),
    # Turned in windows, not turned without one
    "afmoe": ByLayer(last_of("global_attn_every_n_layers", 4), {SLIDING: SLIDING_ROPE, FULL: NO_POSITION}),
    "beam": ByLayer(
        told_or(beam_pattern),
        {
            SLIDING: turned_unless_null(SLIDING, Rope(layer_type=SLIDING, window="sliding_window")),
            FULL: turned_unless_null(
                FULL, Rope(layer_type=FULL), otherwise="unturned", unturned=NoPosition(scale=beam_scale)
            ),
        },
    ),
    "cohere2": ByLayer(
        last_of("sliding_window_pattern", 4),
        {SLIDING: Rope(layout="interleaved", window="sliding_window"), FULL: NO_POSITION},
    ),
    "cohere2_moe": ByLayer(
        cohere2_moe_kinds,
        {
            SLIDING: Unscaled(layout="interleaved", window="sliding_window"),
            "forced": Unscaled(layout="interleaved"),
            FULL: NO_POSITION,
        },
    ),
    "cohere_compass": Within("text_config", None, "cohere_compass_text"),
    "cohere_compass_text": ByLayer(
        told_or(lambda s, n, count: FULL), {FULL: compass(FULL), SLIDING: compass(SLIDING)}
    ),
    # Turned everywhere, windows in three of four layers
    "cwm": ByLayer(first_of(4), {FULL: LLAMA, SLIDING: SLIDING_ROPE}),
    # Latent attention
    "axk1": latent(layout_told),
    "axk2": latent(),  # its indexer, which picks keys, turns a prefix in halves
    "bailing_hybrid": ByLayer(last_of("layer_group_size", 6, others=LINEAR), {FULL: latent(), LINEAR: OTHER}),
    # Mamba
    "bamba": ByLayer(bamba_kinds, {FULL: Rope(partial=True), LINEAR: OTHER}),
    # A learned table
    "albert": NARROW_BERT,
    "bert": BERT,
    "bert-generation": BERT,
    "big_bird": BERT,  # block-sparse masks leave positions as they are
    "clip_text_model": BERT,
    "camembert": ROBERTA,
    "biogpt": Learned(offset=2, head_dim=split_width),
    "bart": learned_stacks(offset=2),
    "bigbird_pegasus": learned_stacks(),
    "blenderbot": learned_stacks(),
    "blenderbot-small": learned_stacks(),
    # … and in every layer a convolution beside attention
    "convbert": Together((Learned(head_dim=conv_head, width="embedding_size"), OTHER)),
    # All sines, then all cosines
    "ctrl": Sinusoidal(layout="half", rows="max_position_embeddings", head_dim=split_width),
    # Biases
    "bloom": Alibi(slopes=published_slopes, head_dim=wide_by_heads),
    "cpmant": Bucketed(  # counted from the first of prompt_length learned tokens, put before the text
        num_buckets="position_bias_num_buckets",
        max_distance="position_bias_max_distance",
        bidirectional=True,
        head_dim=lambda s: s.whole("dim_head"),
        scale=root_of_width,
    ),
    # Text parts of others
    "audioflamingo3": Within("text_config", None, "qwen2"),
}
