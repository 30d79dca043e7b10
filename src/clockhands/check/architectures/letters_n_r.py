"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

import math
from dataclasses import replace

from clockhands.check.architectures.added import Learned, Sinusoidal
from clockhands.check.architectures.bidirectional import BIDIRECTIONALS
from clockhands.check.architectures.common import (
    BERT,
    LLAMA,
    OTHER,
    ROBERTA,
    SLIDING_ROPE,
    after_padding,
    learned_stacks,
    plain_sines,
    sines,
    width_by,
)
from clockhands.check.architectures.later_hybrids import LATER_HYBRIDS
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Stacks, Together, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, last_of
from clockhands.check.architectures.qwen import QWENS
from clockhands.check.architectures.qwen_vision import SEEING
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import MOST_LAYERS, counted, root_of_width, split_width
from clockhands.check.architectures.windows import Chunked
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings, finite


def phimoe(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Whole heads; where frequencies are scaled, ``short_mscale`` stands for the attention factor, and
    ``long_mscale`` in texts past the trained length."""
    found = SLIDING_ROPE.parameters(s).values
    forms = SLIDING_ROPE(s, layers)
    if found.get("rope_type", "default") == "default":
        return forms
    return tuple(replace(form, attention_factor=finite(found.get("short_mscale"))) for form in forms)


def perceiver(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """A table for the text, which is looked at once; layers are those of the latents, which know no order,
    and every run of them counts. What is asked of the latents has a table of its own."""
    runs = counted(s, "num_self_attends_per_block") * min(counted(s, "num_blocks"), MOST_LAYERS)
    return Learned(width="d_model", head_dim=perceiver_width)(s, tuple(range(min(runs, MOST_LAYERS))))


def perceiver_width(s: Settings) -> int | None:
    """``qk_channels``, else the latents' width, by the heads."""
    latents = s.whole("d_latents") or (None if s.written("d_latents") else 1280)
    channels, heads = s.whole("qk_channels") or latents, s.whole("num_self_attention_heads")
    return None if channels is None or heads is None else channels // heads


def endless_sines(heads: str, window: str | None = None) -> Sinusoidal:
    """Pegasus-X: all sines, then all cosines over i/(d/2-1), of any length."""
    return Sinusoidal(
        layout="half", exponent="i/(d/2-1)", width="d_model", head_dim=width_by(heads), window=window
    )


def prophet(heads: str) -> Learned:
    """The first token stands after the padding's row; ``max_position_embeddings`` counts all rows."""
    return Learned(
        rows=lambda s: s.whole("max_position_embeddings"),
        offset=after_padding,
        head_dim=width_by(heads, "hidden_size"),
    )


def reformer_rows(s: Settings) -> int | None:
    """Rows of one table times those of the other: a position has a part of its vector from each."""
    if not s.get("axial_pos_embds", True):
        return s.whole("max_position_embeddings")
    shape = s.get("axial_pos_shape")
    if not isinstance(shape, list | tuple) or not all(
        type(each) is int and 0 < each < 2**31 for each in shape
    ):
        return None
    return math.prod(shape[:8])


def reformer_window(s: Settings) -> int | None:
    """Chunks seen, of which a token's own is one: so many tokens at most."""
    chunk = s.whole("local_attn_chunk_length")
    before, after = s.get("local_num_chunks_before", 1), s.get("local_num_chunks_after", 0)
    if chunk is None or type(before) is not int or type(after) is not int:
        return None
    return chunk * (max(before, 0) + 1 + max(after, 0))


def reformer_kinds(s: Settings) -> list[str]:
    """``attn_layers``; their number is that of the layers."""
    told = s.get("attn_layers")
    kinds = told if isinstance(told, list | tuple) else ()
    return [each if isinstance(each, str) else "" for each in kinds[:MOST_LAYERS]]


def reformer(window: bool) -> Learned:
    """Keys of ``lsh`` are queries divided by the root of the mean of their squares; both kinds scale them."""
    return Learned(
        rows=reformer_rows,
        head_dim=lambda s: s.whole("attention_head_size"),
        window=reformer_window if window else None,
    )


OMNI = {
    "hidden_size": 4096,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "max_position_embeddings": 8192,
}
NEMO = {
    "hidden_size": 2688,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
    "max_position_embeddings": 262144,
}
QWEN3_ASR = {
    "hidden_size": 2048,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "head_dim": 128,
    "max_position_embeddings": 65536,
}

ARCHITECTURES: dict[str, Architecture] = {
    **{name: each for name, each in BIDIRECTIONALS.items() if name < "s"},
    **{name: each for name, each in LATER_HYBRIDS.items() if name < "s"},
    **QWENS,
    **SEEING,
    # Whole heads in halves, all layers alike
    "nanochat": LLAMA,  # turned backwards, queries and keys alike, and normed after they turn
    "nomic_bert": LLAMA,
    "olmo": LLAMA,
    "olmo2": LLAMA,
    "olmoe": LLAMA,
    "phimoe": phimoe,
    # Neighbours paired; with rotary_value values turn as keys do. The base is a constant of the code
    "roformer": Rope(layout="interleaved", head_dim=split_width, theta=10000.0),
    # A part of the head, in halves
    "nemotron": Rope(partial=True),
    "persimmon": Rope(head_dim=split_width, partial=True),
    "phi": Rope(partial=True),
    "phi3": Rope(partial=True, window="sliding_window"),
    "phi4_multimodal": Rope(partial=True, window="sliding_window"),
    # Scaled without a window only
    "olmo3": ByLayer(
        last_of(4), {SLIDING: Rope(layer_type=SLIDING, window="sliding_window"), FULL: Rope(layer_type=FULL)}
    ),
    # A learned table
    "openai-gpt": Learned(head_dim=split_width),
    "opt": Learned(offset=2, head_dim=split_width),
    "perceiver": perceiver,
    "plbart": learned_stacks(offset=2),
    "reformer": ByLayer(
        reformer_kinds, {"local": Chunked(reformer(window=True)), "lsh": reformer(window=False)}
    ),
    "rembert": Learned(width="input_embedding_size", head_dim=split_width),  # widened afterwards
    "roberta": ROBERTA,
    "roberta-prelayernorm": ROBERTA,
    "roc_bert": BERT,
    # … and a convolution of the values beside attention to means of segments
    "nystromformer": Together(
        (
            Learned(offset=2, head_dim=split_width),
            Chosen(lambda s: str(s.get("conv_kernel_size", 65) is None), {"False": OTHER}),
        )
    ),
    # … and in the decoder a vector of the query's token, not the query itself, times one vector a bucket. It
    # runs streams beside the text that predict the tokens further on, which see the same
    "prophetnet": Stacks(
        encoder=prophet("num_encoder_attention_heads"),
        decoder=Together(
            (
                prophet("num_decoder_attention_heads"),
                Bucketed(
                    family="other",
                    num_buckets="num_buckets",
                    max_distance="relative_max_distance",
                    head_dim=width_by("num_decoder_attention_heads", "hidden_size"),
                    scale=root_of_width,
                ),
            )
        ),
        encoder_layers="num_encoder_layers",
        decoder_layers="num_decoder_layers",
    ),
    # Sines and cosines
    "nllb-moe": Stacks(encoder=sines("encoder_attention_heads"), decoder=sines("decoder_attention_heads")),
    "pegasus": Stacks(
        encoder=plain_sines("encoder_attention_heads"), decoder=plain_sines("decoder_attention_heads")
    ),
    # A token of the encoder sees its block and all global tokens; blocks of every second layer begin half a
    # block later
    "pegasus_x": Stacks(
        encoder=Chunked(endless_sines("encoder_attention_heads", "block_size")),
        decoder=endless_sines("decoder_attention_heads"),
    ),
    # Text parts of others
    "nemo_speechlm": Within("text_config", None, "nemotron_h", usual=NEMO),
    "omniasr": Within("text_config", None, "llama", usual=OMNI),
    "qwen2_audio": Within("text_config", None, "qwen2"),
    "qwen3_asr": Within("text_config", None, "qwen3", usual=QWEN3_ASR),
}
