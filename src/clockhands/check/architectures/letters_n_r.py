"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

import math
from dataclasses import replace

from clockhands.check.architectures.added import Learned, Sinusoidal
from clockhands.check.architectures.common import (
    BERT,
    LLAMA,
    NO_POSITION,
    OTHER,
    ROBERTA,
    SLIDING_ROPE,
    after_padding,
    learned_stacks,
    plain_sines,
    sines,
    width_by,
)
from clockhands.check.architectures.layer_kinds import from_layer, listed_or
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Stacks, Together, Within
from clockhands.check.architectures.patterns import FULL, LINEAR, SLIDING, last_of, listed, told_or
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import MOST_LAYERS, layer_count, root_of_width, split_width
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.settings import Settings, finite


def told_window(s: Settings) -> int | None:
    """``sliding_window``, if ``use_sliding_window`` is on."""
    return s.whole("sliding_window") if s.get("use_sliding_window") else None


def qwen2_moe_pattern(s: Settings, n: int, count: int) -> str:
    """Every other layer below ``max_window_layers``, if windows are on at all."""
    first = s.whole("max_window_layers")
    windowed = bool(s.get("use_sliding_window")) and first is not None and n < first
    return SLIDING if windowed and (n + 1) % 2 else FULL


def nemotron_h_kinds(s: Settings) -> list[str]:
    """A letter for each layer: ``M`` a recurrence, ``*`` attention, others neither; or a list of kinds."""
    told = listed(s, "layers_block_type") or listed(s, "layer_types")
    letters = s.get("hybrid_override_pattern")
    if not told and isinstance(letters, str):
        named = {"M": LINEAR, "*": FULL}
        return [named.get(letter, "") for letter in letters[:MOST_LAYERS]]
    older = {"mamba": LINEAR, "attention": FULL}
    named_kinds = told or [LINEAR, "moe", FULL, "mlp"]
    return [older.get(each, each) if isinstance(each, str) else "" for each in named_kinds[:MOST_LAYERS]]


def recurrent_gemma_kinds(s: Settings) -> list[str]:
    """``block_types``, over and over."""
    told = s.get("block_types", ["recurrent", "recurrent", "attention"])
    blocks = told if isinstance(told, list | tuple) and told else ["recurrent"]
    return [str(blocks[n % len(blocks)]) for n in range(layer_count(s))]


def olmo_hybrid_kinds(s: Settings) -> list[str]:
    """Every fourth layer attends, the last where there is no fourth."""

    def rule(s: Settings, n: int, count: int) -> str:
        return FULL if n % 4 == 3 or (count < 4 and n == count - 1) else LINEAR

    return list(told_or(rule)(s))


def has_base(s: Settings) -> str:
    """OLMo hybrid: without a base nothing turns."""
    values = rope_parameters_of(s, layer_type=None, partial=False).values
    return "turned" if values.get("rope_theta") is not None else "unturned"


def phimoe(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Magnitudes of scaled frequencies are told: ``short_mscale`` within the trained length."""
    values = rope_parameters_of(s, layer_type=None, partial=False).values
    forms = SLIDING_ROPE(s, layers)
    if values.get("rope_type", "default") == "default":
        return forms
    return tuple(replace(form, attention_factor=finite(values.get("short_mscale"))) for form in forms)


def neomme_kinds(s: Settings) -> list[str]:
    """Windows but in every sixth layer and the last; every other window is a long one."""

    def rule(s: Settings, n: int, count: int) -> str:
        return FULL if (n + 1) % 6 == 0 or n == count - 1 else SLIDING

    kinds, windows = list(told_or(rule)(s)), 0
    for n, kind in enumerate(kinds):
        if kind == SLIDING:
            kinds[n] = "long" if windows % 2 else SLIDING
            windows += 1
    return kinds


def neomme(window: int | None, layer_type: str) -> Rope:
    """Rows and columns alternate hand by hand; text has one position on both. Windows are to both sides."""

    def both_sides(s: Settings) -> int | None:
        told = s.whole("sliding_window") if window is None else window
        return None if told is None else 2 * told + 1

    return Rope(layer_type=layer_type, partial=True, window=both_sides if layer_type == SLIDING else None)


def reformer_rows(s: Settings) -> int | None:
    """Two tables, whose rows are combined; one where ``axial_pos_embds`` is off."""
    shape = s.get("axial_pos_shape", (64, 64))
    if not s.get("axial_pos_embds", True) or not isinstance(shape, list | tuple):
        return s.whole("max_position_embeddings")
    whole = all(isinstance(each, int) and 0 < each < 2**31 for each in shape)
    return math.prod(shape) if whole else None


def reformer(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """A layer for each of ``attn_layers``; attention is within chunks, or within hashes."""
    told = s.get("attn_layers", ["local", "lsh"] * 3)
    depth = min(len(told), MOST_LAYERS) if isinstance(told, list | tuple) else 1
    table = Learned(rows=reformer_rows, head_dim=lambda s: s.whole("attention_head_size"))
    return table(s, tuple(range(depth)))


def heads_of(key: str) -> Learned:
    """ProphetNet: positions begin after the padding token's row."""

    def width(s: Settings) -> int | None:
        hidden, heads = s.whole("hidden_size"), s.whole(key)
        return None if hidden is None or heads is None else hidden // heads

    return Learned(rows=lambda s: s.whole("max_position_embeddings"), offset=after_padding, head_dim=width)


def perceiver(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Its latents, which know no position, read text with a table added; layers are those of the latents."""

    def width(s: Settings) -> int | None:
        latents = s.whole("d_latents") if s.written("d_latents") else 1280
        channels = s.whole("qk_channels") or latents
        heads = s.whole("num_self_attention_heads")
        return None if channels is None or heads is None else channels // heads

    count = min(s.whole("num_self_attends_per_block") or 1, MOST_LAYERS)
    return Learned(width="d_model", head_dim=width)(s, tuple(range(count)))


PROPHET = heads_of("num_decoder_attention_heads")
HALF_QWEN = Rope(partial=True)
AXES = Rope(partial=True, mrope=(11, 11, 10), mrope_interleaved=True)
QWEN = ByLayer(
    listed_or(from_layer("max_window_layers", switch="use_sliding_window")),
    {FULL: LLAMA, SLIDING: Rope(window=told_window)},
)
QWEN3_5 = ByLayer(last_of("full_attention_interval", 4, others=LINEAR), {FULL: AXES, LINEAR: OTHER})
INDEXED = "indexed_attention"
QWEN4 = ByLayer(
    last_of("full_attention_interval", 4, last=INDEXED, others=LINEAR),
    {INDEXED: AXES, FULL: AXES, LINEAR: OTHER},
)
NEMO = {
    "hidden_size": 2688,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
    "max_position_embeddings": 262144,
}
OMNI_ASR = {
    "hidden_size": 4096,
    "max_position_embeddings": 8192,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
}
QWEN3_ASR = {
    "hidden_size": 2048,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "head_dim": 128,
    "max_position_embeddings": 65536,
}

ARCHITECTURES: dict[str, Architecture] = {
    # Whole heads in halves, all layers alike
    "nanochat": LLAMA,  # turned the other way, queries and keys alike, and normed afterwards
    "nomic_bert": LLAMA,
    "olmo": LLAMA,
    "olmo2": LLAMA,
    "olmoe": LLAMA,  # sliding_window is not in its masks
    "phimoe": phimoe,
    # A part of the head, in halves
    "nemotron": Rope(partial=True),
    "persimmon": Rope(head_dim=split_width, partial=True),
    "phi": Rope(partial=True),
    "phi3": Rope(partial=True, window="sliding_window"),
    "phi4_multimodal": Rope(partial=True, window="sliding_window"),
    # Neighbours paired; the base is a constant of the code
    "roformer": Rope(layout="interleaved", head_dim=split_width, theta=10000.0),
    # Windows
    "neomme": ByLayer(
        neomme_kinds,
        {FULL: neomme(None, FULL), SLIDING: neomme(None, SLIDING), "long": neomme(1024, SLIDING)},
    ),
    "olmo3": ByLayer(
        last_of(4), {FULL: Rope(layer_type=FULL), SLIDING: Rope(layer_type=SLIDING, window="sliding_window")}
    ),
    "qwen2": QWEN,
    "qwen2_moe": ByLayer(told_or(qwen2_moe_pattern), {FULL: LLAMA, SLIDING: Rope(window=told_window)}),
    "qwen3": QWEN,
    "qwen3_moe": Rope(window=told_window),
    # Recurrences beside attention
    "nemotron_h": ByLayer(nemotron_h_kinds, {FULL: NO_POSITION, LINEAR: OTHER}),
    "olmo_hybrid": ByLayer(
        olmo_hybrid_kinds,
        {FULL: Chosen(has_base, {"turned": LLAMA, "unturned": NO_POSITION}), LINEAR: OTHER},
    ),
    "qwen3_next": ByLayer(
        last_of("full_attention_interval", 4, others=LINEAR), {FULL: HALF_QWEN, LINEAR: OTHER}
    ),
    "qwen3_5": Within("text_config", QWEN3_5, "qwen3_5_text"),
    "qwen3_5_text": QWEN3_5,
    "qwen3_5_moe": Within("text_config", QWEN3_5, "qwen3_5_moe_text"),
    "qwen3_5_moe_text": QWEN3_5,
    "qwen4_exp": Within("text_config", QWEN4, "qwen4_exp_text"),
    "qwen4_exp_text": QWEN4,
    "recurrent_gemma": ByLayer(
        recurrent_gemma_kinds,
        {
            "attention": Rope(partial=True, window=lambda s: s.whole("attention_window_size")),
            "recurrent": OTHER,
        },
    ),
    "rwkv": OTHER,
    # A learned table
    "nystromformer": Learned(offset=2, head_dim=split_width),
    "openai-gpt": BERT,
    "opt": Learned(offset=2, head_dim=split_width),
    "plbart": learned_stacks(offset=2),
    "prophetnet": Stacks(
        encoder=heads_of("num_encoder_attention_heads"),
        decoder=Together(
            (
                PROPHET,
                # Buckets of T5 in one direction, with a score of the hidden state for each
                Bucketed(
                    family="other",
                    num_buckets="num_buckets",
                    max_distance="relative_max_distance",
                    head_dim=PROPHET.head_dim,
                    scale=root_of_width,
                ),
            )
        ),
        encoder_layers="num_encoder_layers",
        decoder_layers="num_decoder_layers",
    ),
    "perceiver": perceiver,
    "reformer": reformer,
    "rembert": Learned(head_dim=split_width, width="input_embedding_size"),
    "roberta": ROBERTA,
    "roberta-prelayernorm": ROBERTA,
    "roc_bert": BERT,
    # All sines, then all cosines
    "nllb-moe": Stacks(encoder=sines("encoder_attention_heads"), decoder=sines("decoder_attention_heads")),
    "pegasus": Stacks(
        encoder=plain_sines("encoder_attention_heads"), decoder=plain_sines("decoder_attention_heads")
    ),
    "pegasus_x": Stacks(  # its encoder attends within blocks, and to tokens of its own
        encoder=Sinusoidal(
            layout="half",
            exponent="i/(d/2-1)",
            width="d_model",
            head_dim=width_by("encoder_attention_heads"),
        ),
        decoder=Sinusoidal(
            layout="half",
            exponent="i/(d/2-1)",
            width="d_model",
            head_dim=width_by("decoder_attention_heads"),
        ),
    ),
    # Text parts of others
    "nemo_speechlm": Within("text_config", None, "nemotron_h", usual=NEMO),
    "omniasr": Within("text_config", None, "llama", usual=OMNI_ASR),
    "qwen2_audio": Within("text_config", None, "qwen2"),
    "qwen3_asr": Within("text_config", None, "qwen3", usual=QWEN3_ASR),
}
