"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.bidirectional import BIDIRECTIONALS
from clockhands.check.architectures.common import (
    BERT,
    LLAMA,
    NARROW_BERT,
    NO_POSITION,
    OTHER,
    ROBERTA,
    SLIDING_ROPE,
    T5,
    after_padding,
    learned_or_sinusoidal,
    sines,
    width_by,
)
from clockhands.check.architectures.gemma import GEMMA2
from clockhands.check.architectures.latent import latent, layout_told
from clockhands.check.architectures.later_hybrids import LATER_HYBRIDS
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Stacks, Together, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, listed, told_or
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import counted, layer_count, root_of_width, split_width
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


def smollm_kinds(s: Settings) -> list[str]:
    """Which layers turn is one list, which see a window another; every fourth doesn't turn."""
    told, count = listed(s, "no_rope_layers"), layer_count(s)  # 1 where one turns, whatever the name says
    period = s.whole("no_rope_layer_interval") or 4
    turned = [bool(told[n]) if n < len(told) else (n + 1) % period != 0 for n in range(count)]
    windowed = bool(s.get("use_sliding_window")) and s.get("sliding_window") is not None

    def rule(s: Settings, n: int, count: int) -> str:
        return SLIDING if windowed and not turned[n] else FULL

    return [f"{kind} {each}" for kind, each in zip(told_or(rule)(s), turned, strict=True)]


def seamless(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Its text encoder and text decoder; those of speech and units are not listed."""
    encoder, decoder = (
        sines(heads, "hidden_size") for heads in ("encoder_attention_heads", "decoder_attention_heads")
    )
    return Stacks(encoder=encoder, decoder=decoder)(s, layers)


def whisper(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Its decoder, which reads text."""
    part = Learned(rows="max_target_positions", width="d_model", head_dim=width_by("decoder_attention_heads"))
    return part(s, tuple(range(counted(s, "decoder_layers"))) if layers is None else layers)


def trocr_sines(s: Settings) -> int:
    """Rows of the table, which grows where a text is longer."""
    return (s.whole("max_position_embeddings") or 0) + after_padding(s)


def xlnet(bidirectional: bool) -> Bucketed:
    """Sines and cosines of distances, projected, with biases of their own; of any distance up to
    ``clamp_len``."""
    return Bucketed(
        family="transformer_xl",
        num_buckets=None,
        max_distance="clamp_len",
        bidirectional=bidirectional,
        head_dim=lambda s: s.whole("d_head") or split_width(s),
        scale=root_of_width,
    )


def unscaled(s: Settings, width: int | None) -> float | None:
    """YOSO: what two tokens hash alike, or how likely that is, stands for a softmax of scores."""
    return None


VOXTRAL = {
    "hidden_size": 3072,
    "num_hidden_layers": 30,
    "max_position_embeddings": 131072,
    "rope_theta": 100000000.0,
    "head_dim": 128,
}
REALTIME = {
    "hidden_size": 3072,
    "num_hidden_layers": 26,
    "num_attention_heads": 32,
    "max_position_embeddings": 131072,
    "rope_theta": 1000000.0,
    "head_dim": 128,
    "sliding_window": 8192,
}

ARCHITECTURES: dict[str, Architecture] = {
    **{name: each for name, each in BIDIRECTIONALS.items() if name >= "s"},
    **{name: each for name, each in LATER_HYBRIDS.items() if name >= "s"},
    # Whole heads in halves, all layers alike
    "seed_oss": LLAMA,
    "starcoder2": SLIDING_ROPE,
    "voxtral_realtime_text": SLIDING_ROPE,
    # A part of the head, in halves
    "sarvam_moe": Rope(partial=True),
    "solar_open": Rope(partial=True),
    "stablelm": Rope(head_dim=split_width, partial=True),
    # Turned but in every fourth layer
    "smollm3": ByLayer(
        smollm_kinds,
        {
            f"{FULL} True": LLAMA,
            f"{SLIDING} True": SLIDING_ROPE,
            f"{FULL} False": NO_POSITION,
            f"{SLIDING} False": NoPosition(window="sliding_window"),
        },
    ),
    # Windows in every other layer
    "vaultgemma": GEMMA2,
    # Latent attention
    "sarvam_mla": latent(layout_told),
    "youtu": latent(layout_told),
    # A learned table
    "squeezebert": NARROW_BERT,
    "tapas": BERT,  # positions begin anew in every cell of a table, with reset_position_index_per_cell
    "whisper": whisper,
    "xlm": learned_or_sinusoidal("sinusoidal_embeddings"),
    "xlm-roberta": ROBERTA,
    "xlm-roberta-xl": ROBERTA,
    "xmod": ROBERTA,
    "yoso": Together(
        (
            Learned(offset=2, head_dim=split_width, scale=unscaled),
            Chosen(lambda s: str(s.get("conv_window") is None), {"False": OTHER}),
        )
    ),
    # Sines and cosines
    "seamless_m4t": seamless,
    "seamless_m4t_v2": seamless,
    "tipsv2_text_model": Sinusoidal(
        layout="half", exponent="i/(d/2-1)", rows="max_position_embeddings", head_dim=split_width
    ),
    "trocr": Chosen(
        lambda s: str(bool(s.get("use_learned_position_embeddings", True))),
        {
            "True": Learned(offset=2, width="d_model", head_dim=width_by("decoder_attention_heads")),
            "False": Sinusoidal(
                layout="half",
                exponent="i/(d/2-1)",
                offset=after_padding,
                rows=trocr_sines,
                width="d_model",
                head_dim=width_by("decoder_attention_heads"),
            ),
        },
    ),
    "xglm": Sinusoidal(
        layout="half",
        exponent="i/(d/2-1)",
        offset=2,
        rows=lambda s: (s.whole("max_position_embeddings") or 0) + 2,
        head_dim=split_width,
    ),
    # Biases
    "switch_transformers": T5,
    "t5": T5,
    "umt5": T5,
    "xlnet": Chosen(lambda s: str(s.get("attn_type") == "bi"), {"True": xlnet(True), "False": xlnet(False)}),
    # Text parts of others
    "vibevoice_asr": Within("text_config", None, "qwen2"),
    "voxtral": Within("text_config", None, "llama", usual=VOXTRAL, filled=True),
    "voxtral_realtime": Within("text_config", None, "voxtral_realtime_text", usual=REALTIME, filled=True),
}
