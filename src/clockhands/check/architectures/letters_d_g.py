"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0.

``score_scale`` is that of the product of queries and keys as they leave their projections and norms, wherever
the code multiplies by it.
"""

from __future__ import annotations

from dataclasses import replace

from clockhands.analysis.precision import rounded
from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.common import (
    BERT,
    LLAMA,
    NARROW_BERT,
    NO_POSITION,
    OTHER,
    ROBERTA,
    SLIDING_ROPE,
    after_padding,
    learned_or_sinusoidal,
    published_slopes,
    width_by,
)
from clockhands.check.architectures.deberta import DEBERTAS
from clockhands.check.architectures.deepseek import DEEPSEEKS
from clockhands.check.architectures.gemma import GEMMAS
from clockhands.check.architectures.gpt import GPTS
from clockhands.check.architectures.granite import GRANITES
from clockhands.check.architectures.latent import latent, layout_told
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Stacks, Together, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, last_of, listed, told_or
from clockhands.check.architectures.relative import Alibi, Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import (
    MOST_LAYERS,
    counted,
    layer_count,
    split_width,
    wide_by_heads,
)
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


def falcon_slopes(s: Settings) -> tuple[float, ...] | None:
    """The published ones, but rounded to bfloat16, and scaled with the scores."""
    slopes, width = published_slopes(s), wide_by_heads(s)
    if slopes is None or not width:
        return None
    return tuple(float(each) * width**-0.5 for each in rounded(slopes, "bf16"))


def dory_runs(s: Settings) -> list[str]:
    """Layers between those of input and output are run ``n_recurrent_loops`` times; every run counts."""
    kinds, halved = dory_kinds(s), 2 if "mlp" in listed(s, "layer_types") else 1
    first, last = ((s.whole(key) or 0) // halved for key in ("n_input_layers", "n_output_layers"))
    loops = min(s.whole("n_recurrent_loops") or 1, max(1, MOST_LAYERS // max(len(kinds), 1)))
    end = max(first, len(kinds) - last)
    return [*kinds[:first], *kinds[first:end] * loops, *kinds[end:]]


def dory_layers(s: Settings) -> int:
    """Layers of attention: files count those of the perceptrons too, and then name them among the kinds."""
    return layer_count(s) // (2 if "mlp" in listed(s, "layer_types") else 1)


def dory_kinds(s: Settings) -> list[str]:
    """Every fourth without a window."""
    told = listed(s, "layer_types")
    if "mlp" in told:
        return [each if isinstance(each, str) else "" for each in told[::2]][: dory_layers(s)]
    return list(last_of(4)(s))


def exaone_kinds(s: Settings) -> list[str]:
    """Without a window at all every layer is turned; else those without are not."""
    kinds = last_of("sliding_window_pattern", 4)(s)
    unwindowed = "turned" if s.get("sliding_window") is None else FULL
    return [kind if kind == SLIDING else unwindowed for kind in kinds]


def dots1_pattern(s: Settings, n: int, count: int) -> str:
    """Windows from layer ``max_window_layers`` on."""
    first = s.whole("max_window_layers")
    return SLIDING if s.get("sliding_window") is not None and first is not None and n >= first else FULL


def flint_pattern(s: Settings, n: int, count: int) -> str:
    """No windows in the first two layers, then in every fourth and in the last."""
    return FULL if n < 2 or n % 4 == 1 or n == count - 1 else SLIDING


def esm_kind(s: Settings) -> str:
    """``absolute`` or ``rotary``; with any other word nothing is added and nothing turns."""
    told = s.get("position_embedding_type", "absolute")
    return told if told in ("absolute", "rotary") else ""


def funnel(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Sines and cosines of distances, projected, with biases of their own as in Transformer-XL.

    ``factorized`` computes the same otherwise. Each block after the first sees half the tokens of the one
    before.
    """
    told = s.get("block_sizes", (4, 4, 4))
    told = told if isinstance(told, list | tuple) else ()
    sizes = [n for n in told if isinstance(n, int) and 0 < n <= MOST_LAYERS]
    relative = Bucketed(
        family="transformer_xl",
        num_buckets=None,
        max_distance=None,
        bidirectional=True,
        head_dim=lambda s: s.whole("d_head"),
        scale=lambda s, width: None if not width else width**-0.5,
    )
    depth = min(sum(sizes[:MOST_LAYERS]), MOST_LAYERS) or 1
    encoder, decoder = tuple(range(depth)), tuple(range(counted(s, "num_decoder_layers")))
    return tuple(
        replace(form, stack=stack)
        for stack, mine in (("encoder", encoder), ("decoder", decoder))
        for form in relative(s, mine)
    )


def sinusoids(heads: str) -> Sinusoidal:
    """FSMT: all sines, then all cosines, over i/(d/2-1); the first token stands after the padding's row.

    The table grows where a text is longer.
    """
    return Sinusoidal(
        layout="half",
        exponent="i/(d/2-1)",
        offset=after_padding,
        rows=lambda s: (s.whole("max_position_embeddings") or 0) + after_padding(s),
        width="d_model",
        head_dim=width_by(heads),
    )


FUYU = {
    "max_position_embeddings": 16384,
    "hidden_size": 4096,
    "num_hidden_layers": 36,
    "num_attention_heads": 64,
}
GLMASR = {
    "hidden_size": 2048,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "max_position_embeddings": 8192,
    "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
}
GOT_OCR = {
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "max_position_embeddings": 32768,
    "rope_theta": 1000000.0,
    "use_sliding_window": False,
    "sliding_window": 4096,
    "max_window_layers": 21,
}


def fuyu(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Older files hold what is of the text beside what is not."""
    beside = {key: s.get(key) for key in (*FUYU, "rope_scaling", "rope_theta") if key in s.file}
    usual = {**beside, "partial_rotary_factor": 0.5} if beside else FUYU
    return Within("text_config", None, "persimmon", usual=usual)(s, layers)


ARCHITECTURES: dict[str, Architecture] = {
    **DEBERTAS,
    **DEEPSEEKS,
    **GEMMAS,
    **GPTS,
    **GRANITES,
    # Whole heads in halves, all layers alike
    "dbrx": Rope(head_dim=split_width),  # the rope_theta within attn_config is read and not used
    "diffllama": LLAMA,  # two softmaxes over the same turned queries and keys
    "doge": SLIDING_ROPE,  # its mask of values knows no position
    "emu3": Within("text_config", LLAMA, "emu3_text_model"),
    "emu3_text_model": LLAMA,
    "esmc": LLAMA,
    "eurobert": LLAMA,
    "exaone": LLAMA,
    "flex_olmo": LLAMA,
    "gte": LLAMA,
    # Neighbours paired: the first half of cos and sin, repeated two by two
    "ernie4_5": Rope(layout="interleaved"),
    "ernie4_5_moe": Rope(layout="interleaved"),
    "glm": Rope(layout="interleaved", partial=True),
    "glm4": Rope(layout="interleaved", partial=True),
    # A part of the head, in halves
    "glm4_moe": Rope(partial=True),
    # Windows
    "dots1": ByLayer(told_or(dots1_pattern), {FULL: LLAMA, SLIDING: SLIDING_ROPE}),
    "dory": ByLayer(
        dory_runs,
        {
            # The scale of the scores is learned, channel by channel
            SLIDING: Rope(layer_type=SLIDING, window="sliding_window", scale=lambda s, width: None),
            FULL: Rope(layer_type=FULL, scale=lambda s, width: None),
        },
    ),
    # … and not turned without one
    "exaone4": ByLayer(exaone_kinds, {SLIDING: SLIDING_ROPE, "turned": LLAMA, FULL: NO_POSITION}),
    "exaone_moe": ByLayer(exaone_kinds, {SLIDING: SLIDING_ROPE, "turned": LLAMA, FULL: NO_POSITION}),
    "flint": ByLayer(told_or(flint_pattern), {SLIDING: SLIDING_ROPE, FULL: NO_POSITION}),
    # Latent attention
    "glm4_moe_lite": latent(layout_told, partial=True),
    "glm_moe_dsa": latent(),
    # One or the other
    "esm": Chosen(
        esm_kind,
        {
            "absolute": ROBERTA,
            # Queries are scaled before they turn, the product is not; its base is read from its own key
            "rotary": Rope(theta=lambda s: s.number("rope_theta") or 10000.0),
            "": NoPosition(head_dim=split_width),
        },
    ),
    "falcon": Chosen(
        lambda s: "alibi" if s.get("alibi") else "rope",
        {"alibi": Alibi(slopes=falcon_slopes, head_dim=wide_by_heads), "rope": Rope(head_dim=wide_by_heads)},
    ),
    # Attention and Mamba side by side in every layer; keys are multiplied by key_multiplier before they turn
    "falcon_h1": Together((LLAMA, OTHER)),
    "falcon_mamba": OTHER,
    # A learned table
    "data2vec-text": ROBERTA,
    "electra": NARROW_BERT,
    "ernie": BERT,
    "git": BERT,  # of the text: what an image gives comes before it without one
    "distilbert": learned_or_sinusoidal("sinusoidal_pos_embds"),
    "flaubert": learned_or_sinusoidal("sinusoidal_embeddings"),
    # … before a Fourier transform along the text, instead of attention
    "fnet": Together((Learned(head_dim=split_width, scale=lambda s, width: None), OTHER)),
    # Two stacks
    "encoder-decoder": Together(
        (
            Within("encoder", None, "bert", "encoder"),
            Within("decoder", None, "bert", "decoder"),
        )
    ),
    "fsmt": Stacks(
        encoder=sinusoids("encoder_attention_heads"), decoder=sinusoids("decoder_attention_heads")
    ),
    "funnel": funnel,
    # Text parts of others
    "fuyu": fuyu,
    "glmasr": Within("text_config", None, "llama", usual=GLMASR, filled=True),
    "got_ocr2": Within("text_config", None, "qwen2", usual=GOT_OCR),
}
