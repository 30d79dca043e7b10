"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

from dataclasses import replace

from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.common import (
    BERT,
    LLAMA,
    NO_POSITION,
    ROBERTA,
    SLIDING_ROPE,
    T5,
    learned_stacks,
    plain_sines,
    sines,
    told_scale,
)
from clockhands.check.architectures.hybrids import HYBRIDS
from clockhands.check.architectures.inkling import INKLINGS
from clockhands.check.architectures.latent import latent, latent_scale
from clockhands.check.architectures.longer import LONGER
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Stacks, Together, Within
from clockhands.check.architectures.modern_bert import MODERN_BERTS
from clockhands.check.architectures.patterns import FULL, SLIDING, alike, last_of, listed, told_or
from clockhands.check.architectures.relative import Alibi, Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import (
    MOST_LAYERS,
    counted,
    head_width,
    layer_count,
    root_of_width,
    split_width,
)
from clockhands.check.architectures.windows import Chunked
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import RopeParameters
from clockhands.check.settings import Settings
from clockhands.formulas.slopes import alibi_slopes


def repeated(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """HRM: two stacks run ``H_cycles`` times, the lower one ``L_cycles`` times each; every run counts."""
    told = s.whole("num_layers_per_stack")
    if told is None:
        cycles = (s.whole("H_cycles") or 2) * ((s.whole("L_cycles") or 3) + 1)
        return LLAMA(s, tuple(range(min(layer_count(s) * cycles, MOST_LAYERS))))
    return LLAMA(s, layers)


def kolibri_kinds(s: Settings) -> list[str]:
    """Without a window at all every layer is turned; else those without are not."""
    unwindowed = "turned" if s.get("sliding_window") is None else FULL
    return [kind if kind == SLIDING else unwindowed for kind in last_of(5)(s)]


def llama4_kinds(s: Settings) -> list[str]:
    """Which layers turn is one list, which see a chunk another; every fourth does neither."""
    told, count = listed(s, "no_rope_layers"), layer_count(s)  # 1 where one turns, whatever the name says
    period = s.whole("no_rope_layer_interval") or 4
    turned = [bool(told[n]) if n < len(told) else (n + 1) % period != 0 for n in range(count)]
    chunked = s.whole("attention_chunk_size") is not None

    def rule(s: Settings, n: int, count: int) -> str:
        return "chunked_attention" if turned[n] and chunked else FULL

    return [f"{kind} {each}" for kind, each in zip(told_or(rule)(s), turned, strict=True)]


LLAMA4 = ByLayer(
    llama4_kinds,
    {
        # A chunk: a query sees back to where its chunk begins, so this many tokens at most
        "chunked_attention True": Chunked(Rope(layout="interleaved", window="attention_chunk_size")),
        f"{FULL} True": Rope(layout="interleaved"),
        # Queries grow with the position by floor_scale and attn_scale
        f"{FULL} False": NO_POSITION,
        "chunked_attention False": Chunked(NoPosition(window="attention_chunk_size")),
    },
)


def longcat(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Two attentions to a layer of the file; queries are scaled after their last projection, keys before."""
    told = s.written("num_layers") is None and s.written("num_hidden_layers") is not None
    count = layer_count(s) if told else 2 * counted(s, "num_layers")
    return replace(latent(), scale=longcat_scale)(s, tuple(range(count)))


def longcat_scale(s: Settings, width: int | None) -> float | None:
    """That of latent attention, times the root of the hidden width by the queries' rank."""
    usual, hidden, rank = latent_scale(s, width), s.whole("hidden_size"), s.whole("q_lora_rank") or 1536
    return None if usual is None or hidden is None else usual * (hidden / rank) ** 0.5


def mimo_window(s: Settings) -> int | None:
    """``sliding_window``, or one more than ``sliding_window_size`` of older files."""
    older = s.whole("sliding_window_size")
    return s.whole("sliding_window") if older is None else older + 1


def mimo_pattern(s: Settings, n: int, count: int) -> str:
    """No windows in the first layer and every sixth."""
    return FULL if n == 0 or (n + 1) % 6 == 0 else SLIDING


class Third(Rope):
    """MiMo: a third of the head turns where a dictionary says nothing of it and scales nothing."""

    def parameters(self, s: Settings) -> RopeParameters:
        """Those of the file with that part."""
        found = super().parameters(s)
        if found.values.get("rope_type", "default") != "default":
            return found
        return replace(found, values={"partial_rotary_factor": 0.334, **found.values})


class Plain(Rope):
    """The same base, not scaled."""

    def parameters(self, s: Settings) -> RopeParameters:
        """Those of the file without its type."""
        found = super().parameters(s)
        values = {key: each for key, each in found.values.items() if key == "rope_theta"}
        return RopeParameters({**values, "rope_type": "default"}, found.paths, found.ignored)


def molmo2_kinds(s: Settings) -> list[str]:
    """Layers of ``rope_scaling_layers`` are scaled, all where none are told."""
    told = s.get("rope_scaling_layers")
    scaled = set(range(layer_count(s))) if not isinstance(told, list | tuple) else None
    return [
        "scaled" if (n in scaled if scaled is not None else n in told) else "plain"
        for n in range(layer_count(s))
    ]


def mllama_kinds(s: Settings) -> list[str]:
    """Layers of ``cross_attention_layers`` attend to an image only and are not listed."""
    told = s.get("cross_attention_layers")
    crossing = told if isinstance(told, list | tuple) else (3, 8, 13, 18, 23, 28, 33, 38)
    return ["crossing" if n in crossing else FULL for n in range(layer_count(s))]


def mpt_slopes(s: Settings) -> tuple[float, ...] | None:
    """The published ones with ``alibi_bias_max`` for 8; ``alibi`` and ``learned_pos_emb`` are not read."""
    heads, most = s.whole("num_attention_heads"), s.within("attn_config").get("alibi_bias_max", 8)
    if heads is None or heads > MOST_LAYERS or isinstance(most, bool) or not isinstance(most, int):
        return None
    return tuple(float(each) ** (most / 8) for each in alibi_slopes(heads)) if abs(most) < 1000 else None


def mpt_scale(s: Settings, width: int | None) -> float | None:
    """``softmax_scale`` of its attention, else the usual one."""
    told = Settings(s.within("attn_config")).number("softmax_scale")
    return root_of_width(s, width) if told is None else told


def bottleneck(s: Settings) -> int | None:
    """MobileBERT: heads share the narrow width between its bottlenecks, if it has them."""
    usual = None if s.written("intra_bottleneck_size") else 128
    narrow = (
        (s.whole("intra_bottleneck_size") or usual)
        if s.get("use_bottleneck", True)
        else s.whole("hidden_size")
    )
    heads = s.whole("num_attention_heads")
    return None if narrow is None or heads is None else narrow // heads


def multiplied(s: Settings, width: int | None) -> float | None:
    """HyperCLOVA X: ``attention_multiplier``, the usual scale where none is told."""
    told = told_scale("attention_multiplier")(s, width)
    return root_of_width(s, width) if told is None else told


MUSIC = Sinusoidal(  # all cosines, then all sines; the table grows where a text is longer
    layout="half", exponent="i/(d/2-1)", rows="max_position_embeddings", head_dim=split_width
)
MOSS = {
    "hidden_size": 1024,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "max_position_embeddings": 131072,
    "rope_parameters": {"rope_theta": 1000000.0, "rope_type": "default"},
}

ARCHITECTURES: dict[str, Architecture] = {
    **HYBRIDS,
    **INKLINGS,
    **LONGER,
    **MODERN_BERTS,
    # Whole heads in halves, all layers alike
    "hrm_text": repeated,
    "hunyuan_v1_dense": LLAMA,  # queries and keys are normed after they turn
    "hunyuan_v1_moe": LLAMA,
    "hy_v3": LLAMA,
    "hyperclovax": Rope(scale=multiplied),
    "internlm3": LLAMA,
    "iquestcoder": LLAMA,
    "jais2": LLAMA,
    "jetmoe": Rope(head_dim=lambda s: s.whole("kv_channels") or head_width(s)),
    "jina_embeddings_v3": LLAMA,
    "llama": LLAMA,
    "mixtral": SLIDING_ROPE,
    "mistral": SLIDING_ROPE,
    "ministral3": SLIDING_ROPE,  # turned queries grow by llama_4_scaling_beta beyond the trained length
    "moshi": LLAMA,  # its window is not in its masks; the depth decoder is not listed
    # Neighbours paired
    "helium": Rope(layout="interleaved"),
    # A part of the head, in halves
    "minimax_m2": Rope(partial=True),
    "minimax_m3_vl_text": Rope(partial=True),  # its field rotary_dim is not read
    # Windows
    "kolibri1": ByLayer(kolibri_kinds, {SLIDING: SLIDING_ROPE, "turned": LLAMA, FULL: NO_POSITION}),
    "laguna": ByLayer(
        alike(FULL),
        {
            FULL: Rope(layer_type=FULL, partial=True),
            SLIDING: Rope(layer_type=SLIDING, partial=True, window="sliding_window"),
        },
    ),
    "llama4": Within("text_config", LLAMA4, "llama4_text"),
    "llama4_text": LLAMA4,
    "mellum": ByLayer(
        alike(FULL),
        {
            FULL: Rope(layer_type=FULL, partial=True),
            SLIDING: Rope(layer_type=SLIDING, partial=True, window="sliding_window"),
        },
    ),
    "mimo_v2_flash": ByLayer(
        told_or(mimo_pattern),
        {
            FULL: Third(layer_type=FULL, partial=True),
            SLIDING: Third(layer_type=SLIDING, partial=True, window=mimo_window),
        },
    ),
    "ministral": ByLayer(
        told_or(lambda s, n, count: FULL if s.get("sliding_window") is None else SLIDING),
        {FULL: LLAMA, SLIDING: SLIDING_ROPE},
    ),
    "molmo2_text": ByLayer(molmo2_kinds, {"scaled": LLAMA, "plain": Plain()}),
    # Latent attention
    "hy_v4": latent("half"),
    "longcat_flash": longcat,
    "minicpm3": latent("half"),
    # A learned table
    "ibert": ROBERTA,
    "layoutlm": BERT,  # and four tables more, of boxes on a page
    "luke": ROBERTA,
    "megatron-bert": BERT,
    "mobilebert": Learned(head_dim=bottleneck),
    "mra": Learned(offset=2, head_dim=split_width),
    "mbart": learned_stacks(offset=2),
    "mvp": learned_stacks(offset=2),
    # Sines and cosines
    "m2m_100": Stacks(encoder=sines("encoder_attention_heads"), decoder=sines("decoder_attention_heads")),
    "marian": Stacks(
        encoder=plain_sines("encoder_attention_heads"),
        decoder=plain_sines("decoder_attention_heads"),
    ),
    "musicgen": Within("decoder", MUSIC, "musicgen_decoder"),
    "musicgen_decoder": MUSIC,
    "musicgen_melody": Within("decoder", MUSIC, "musicgen_melody_decoder"),
    "musicgen_melody_decoder": MUSIC,
    # Biases
    "mpnet": Together(
        (
            Learned(rows=lambda s: s.whole("max_position_embeddings"), offset=2, head_dim=split_width),
            # Its buckets are 32 whatever relative_attention_num_buckets says: that is the table's length only
            Bucketed(
                num_buckets=lambda s: 32,
                max_distance=lambda s: 128,
                bidirectional=True,
                head_dim=split_width,
                scale=root_of_width,
            ),
        )
    ),
    "mpt": Alibi(slopes=mpt_slopes, head_dim=split_width, scale=mpt_scale),
    "mt5": T5,
    # Text parts of others
    "mllama": Within(
        "text_config", ByLayer(mllama_kinds, {FULL: Rope(head_dim=split_width)}), "mllama_text_model"
    ),
    "mllama_text_model": ByLayer(mllama_kinds, {FULL: Rope(head_dim=split_width)}),
    "moss_transcribe_diarize": Within("text_config", None, "qwen3", usual=MOSS),
    "musicflamingo": Within("text_config", None, "qwen2"),
}
