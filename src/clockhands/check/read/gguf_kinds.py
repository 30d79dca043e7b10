"""What llama.cpp does by architecture, which its file format cannot say: data, with where it comes from.

How dimensions pair up, which layers have a window and which turn nothing are decided in the code of llama.cpp
by the name of the architecture. Every entry was held against llama.cpp at commit a8bad3842e92 (April 2026):
``llama_model_rope_type``, ``load_hparams`` and ``get_rope_freq_base`` in ``src/llama-model.cpp``, the graphs
of ``src/models``, and ``permute`` in ``convert_hf_to_gguf.py``. What came later (cohere2moe, deepseek32,
deepseek4, eagle3, hunyuan_vl, mellum, nanbeige) was held against the files of ``src/models`` and
``conversion`` that brought it. Newer architectures are missing: a file of one is read without layout, and a
finding says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PairKind = Literal["none", "interleaved", "half", "mrope", "imrope"]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NO_ROPE = _names(
    "clip gpt2 gptj mpt refact bloom mamba mamba2 jamba jina-bert-v2 t5 t5encoder jais rwkv6 rwkv6qwen2 "
    "rwkv7 arwkv7 wavtokenizer-dec nemotron_h nemotron_h_moe kimi-linear"
)

INTERLEAVED = _names(
    "llama llada llama4 deci baichuan starcoder internlm2 minicpm xverse command-r cohere2 cohere2moe "
    "olmo arctic deepseek deepseek2 deepseek2-ocr deepseek32 deepseek4 plm chatglm granite granitemoe "
    "granitehybrid chameleon bailingmoe neo-bert smollm3 arcee ernie4_5 ernie4_5-moe mistral3 mistral4 "
    "llama-embed maincoder glm-dsa eagle3 nanbeige"
)
"""Called NORM: consecutive dimensions turn together. The conversion makes it so for ``ROWS_MOVED``; others
(DeepSeek, GLM, Cohere …) are published this way."""

ROWS_MOVED = frozenset(
    _names(
        "llama deci arcee baichuan xverse internlm2 minicpm smollm3 granite granitemoe granitehybrid olmo "
        "bailingmoe llada arctic deepseek chameleon llama-embed mistral3 nanbeige eagle3"
    )
)
"""Rows of q and k are moved from halves to neighbours when these are converted from transformers."""

HALF = _names(
    "falcon falcon-h1 grok dbrx bert jina-bert-v3 modern-bert nomic-bert nomic-bert-moe eurobert stablelm "
    "bitnet qwen qwen2 dream qwen2moe qwen3 qwen3moe llada-moe rnd1 olmo2 olmoe phi2 phi3 phimoe plamo "
    "plamo2 plamo3 gemma gemma2 gemma3 gemma3n gemma4 gemma-embedding starcoder2 openelm gptneox "
    "codeshell orion nemotron exaone exaone4 exaone-moe minicpm3 bailingmoe2 dots1 hunyuan-moe jais2 "
    "gpt-oss hunyuan-dense lfm2 lfm2moe smallthinker seed_oss grovemoe apertus minimax-m2 cogvlm "
    "pangu-embedded afmoe qwen3next mimo2 step35 mellum"
)
"""Called NEOX: dimension i turns with dimension i + half of those that turn."""

KINDS: dict[str, PairKind] = {
    **dict.fromkeys(NO_ROPE, "none"),
    **dict.fromkeys(INTERLEAVED, "interleaved"),
    **dict.fromkeys(HALF, "half"),
    **dict.fromkeys(("qwen2vl", "paddleocr"), "mrope"),
    **dict.fromkeys(("qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe"), "imrope"),
}

BY_SECTIONS: dict[str, PairKind] = {"glm4": "interleaved", "glm4moe": "half", "hunyuan_vl": "half"}
"""``mrope`` where the file has sections of time and of height, else as said here."""

LEARNED = frozenset({"gpt2", "starcoder", "bert"})
"""A learned table and nothing in attention, whatever the switch says; MPT where its file has the table."""

ALIBI: dict[str, float] = {"bloom": 8.0, "refact": 8.0, "jina-bert-v2": 8.0}
"""Largest exponent of the slopes where the file doesn't say it; MPT and Jais say it themselves."""

ALIBI_BY_LAYERS: dict[str, int] = {"baichuan": 40}
"""The larger model of the family, told by its layers, has ALiBi instead of RoPE."""

RECURRENT = frozenset({"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
"""No attention at all."""

BIDIRECTIONAL = frozenset(
    _names(
        "bert jina-bert-v2 jina-bert-v3 modern-bert nomic-bert nomic-bert-moe neo-bert eurobert "
        "gemma-embedding dream llada llada-moe rnd1"
    )
)

FULL_WIDTH = frozenset({"llama", "deci", "falcon", "llama-embed"})
"""llama.cpp refuses to load these where not the whole head turns."""

T5_DISTANCE = 128
"""Distance beyond which T5's buckets are one; a constant in the code."""

FULL_EVERY: dict[str, int] = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4}
"""Attention in the last of every so many layers, a recurrence in the others (``full_attention_interval``)."""

UNSCALED = frozenset({"gemma3n", "gemma4", "t5", "t5encoder"})
"""Scores are multiplied by 1."""

WIDE_SCALE: dict[str, int] = {"gemma2": 46, "gemma3": 62}
"""Number of layers of the 27B models, whose scale is the root of the hidden width by the heads."""

MSCALE_IN_SCALE = frozenset({"deepseek2", "deepseek2-ocr", "deepseek32", "glm-dsa", "mistral4"})
"""Multi-head latent attention: YaRN's magnitude is squared into the scale of the scores."""

LOG_MULTIPLIER: dict[str, float] = {"deepseek2": 10.0, "deepseek32": 10.0, "mistral4": 10.0, "mistral3": 1.0}
"""Who reads ``rope.scaling.yarn_log_multiplier``, and what is made of it: the conversion of DeepSeek writes a
tenth of ``mscale_all_dim``, that of Mistral all of it."""

OWN_MSCALE = frozenset({"deepseek2"})
"""``mscale`` is taken to equal ``mscale_all_dim``; elsewhere to be 1. No key of the format says it."""

YARN_READERS = frozenset({"grok", "mistral3"})
"""Who reads ``rope.scaling.yarn_beta_fast`` and ``…slow``. The conversion writes them for every architecture,
and llama.cpp takes 32 and 1 for the others."""

HALF_TURNED = frozenset({"step35"})
"""Layers without a window turn half of ``rope.dimension_count``."""

ENDS_TURN = frozenset({"deepseek4"})
"""The end of a head turns, though there is no latent rank to tell it."""

BY_RATIO = frozenset({"deepseek4"})
"""Layers with a ratio in ``attention.compress_ratios`` have a base of their own and the scaling, without
YaRN's magnitude; the others have neither."""

DENSE_TURN = frozenset({"cohere2moe"})
"""The first ``leading_dense_block_count`` layers turn even where they have no window."""


ALL_LAYERS = 2**16
"""A period longer than any model: every layer with attention sees the window."""


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Which layers see a window, and what the others do.

    period       so many layers make a group; all but one of it see the window. 0: an array in the file tells
    full_first   the layer without a window is the first of its group, not the last
    window       tokens, where the file doesn't say; 0: without the key no layer has a window
    only_layers  the pattern is for models of this many layers only
    full_turns   whether layers without a window turn q and k
    own_base     base of window layers where the file has no ``rope.freq_base_swa``; None: that of the model
    unscaled     window layers keep their frequencies whatever the scaling
    follows      what window layers take from the command line: nothing, the base, or the base and the scaling
    shape        ``chunked``: the window starts anew every so many tokens; ``symmetric``: half on each side
    """

    period: int
    full_first: bool = False
    window: int = 0
    only_layers: int | None = None
    full_turns: bool = True
    own_base: float | None = None
    unscaled: bool = False
    follows: Literal["nothing", "base", "all"] = "nothing"
    shape: Literal["causal", "chunked", "symmetric"] = "causal"


WINDOWS: dict[str, Windows] = {
    "gemma2": Windows(period=2, window=4096),
    "gemma3": Windows(period=6, own_base=10000.0, unscaled=True),
    "gemma3n": Windows(period=5, own_base=10000.0, unscaled=True),
    "gemma4": Windows(period=0, own_base=10000.0, unscaled=True),
    "gemma-embedding": Windows(period=6, own_base=10000.0, unscaled=True, shape="symmetric"),
    "modern-bert": Windows(period=3, full_first=True, own_base=10000.0, unscaled=True, shape="symmetric"),
    "cohere2": Windows(period=4, full_turns=False, follows="all"),
    "cohere2moe": Windows(period=4, full_first=True, full_turns=False, follows="all"),
    "llama4": Windows(period=4, window=8192, full_turns=False, shape="chunked"),
    "exaone4": Windows(period=4, window=4096, only_layers=64, full_turns=False, follows="all"),
    "exaone-moe": Windows(period=4, window=128, full_turns=False, follows="all"),
    "olmo2": Windows(period=4, unscaled=True, follows="base"),
    "mellum": Windows(period=4, unscaled=True, follows="base"),
    "gpt-oss": Windows(period=2),
    "smallthinker": Windows(period=4, full_first=True, full_turns=False),
    "afmoe": Windows(period=4),
    "plamo3": Windows(period=8, own_base=10000.0, unscaled=True),
    "mimo2": Windows(period=0, own_base=10000.0, unscaled=True),
    "step35": Windows(period=0, own_base=10000.0, unscaled=True),
    "lfm2": Windows(period=ALL_LAYERS, follows="all"),
    "deepseek4": Windows(period=ALL_LAYERS, follows="all"),
}

NAMES: dict[str, str] = {
    "gemma3_text": "gemma3", "gemma3n_text": "gemma3n", "gemma4_text": "gemma4", "modernbert": "modern-bert",
    "llama4_text": "llama4", "exaone_moe": "exaone-moe", "olmo3": "olmo2", "gpt_oss": "gpt-oss",
}  # fmt: skip
"""Architectures by the model types of transformers, where the two names differ and ``WINDOWS`` has them."""

NO_ROPE_EVERY: dict[str, int] = {"smollm3": 4, "afmoe": 4}
"""The last of every so many layers turns nothing, whether there are windows or not."""
