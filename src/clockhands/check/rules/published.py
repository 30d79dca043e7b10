"""Position settings of published models, by the sizes of their weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clockhands.check.settings import Settings

_ADDED_TOKENS = 1024
"""By which a vocabulary may differ: tokens are added when a model is tuned, and tables are padded."""


@dataclass(frozen=True)
class Scaling:
    """Parameters that a published file has; ``kind`` as ``rope_type``."""

    kind: str = "default"
    factor: float | None = None
    trained: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Published:
    """One published model.

    sizes   model type, vocabulary, hidden width, layers, query heads: what the weights fix
    theta   base of the frequencies, of all layers
    length  promised, tokens
    """

    name: str
    sizes: tuple[str, int, int, int, int]
    theta: float
    length: int
    scaling: Scaling = Scaling()


LLAMA_8 = Scaling("llama3", 8.0, 8192, 1.0, 4.0)
LLAMA_32 = Scaling("llama3", 32.0, 8192, 1.0, 4.0)
DEEPSEEK = Scaling("yarn", 40.0, 4096)
GPT_OSS = Scaling("yarn", 32.0, 4096)

MODELS = (
    Published("Llama 2 7B", ("llama", 32000, 4096, 32, 32), 1e4, 4096),
    Published("Llama 2 13B", ("llama", 32000, 5120, 40, 40), 1e4, 4096),
    Published("Llama 2 70B", ("llama", 32000, 8192, 80, 64), 1e4, 4096),
    Published("Llama 3 8B", ("llama", 128256, 4096, 32, 32), 5e5, 8192),
    Published("Llama 3 70B", ("llama", 128256, 8192, 80, 64), 5e5, 8192),
    Published("Llama 3.1 8B", ("llama", 128256, 4096, 32, 32), 5e5, 131072, LLAMA_8),
    Published("Llama 3.1 70B", ("llama", 128256, 8192, 80, 64), 5e5, 131072, LLAMA_8),
    Published("Llama 3.1 405B", ("llama", 128256, 16384, 126, 128), 5e5, 131072, LLAMA_8),
    Published("Llama 3.2 1B", ("llama", 128256, 2048, 16, 32), 5e5, 131072, LLAMA_32),
    Published("Llama 3.2 3B", ("llama", 128256, 3072, 28, 24), 5e5, 131072, LLAMA_32),
    Published("CodeLlama 7B", ("llama", 32016, 4096, 32, 32), 1e6, 16384),
    Published("CodeLlama 34B", ("llama", 32000, 8192, 48, 64), 1e6, 16384),
    Published("Yi 1.5 6B", ("llama", 64000, 4096, 32, 32), 5e6, 4096),
    Published("Yi 1.5 34B", ("llama", 64000, 7168, 60, 56), 5e6, 4096),
    Published("Mixtral 8x7B", ("mixtral", 32000, 4096, 32, 32), 1e6, 32768),
    Published("Mixtral 8x22B", ("mixtral", 32000, 6144, 56, 48), 1e6, 65536),
    Published("Qwen3 0.6B", ("qwen3", 151936, 1024, 28, 16), 1e6, 40960),
    Published("Qwen3 1.7B", ("qwen3", 151936, 2048, 28, 16), 1e6, 40960),
    Published("Qwen3 8B", ("qwen3", 151936, 4096, 36, 32), 1e6, 40960),
    Published("Qwen3 32B", ("qwen3", 151936, 5120, 64, 64), 1e6, 40960),
    Published("Gemma 2 2B", ("gemma2", 256000, 2304, 26, 8), 1e4, 8192),
    Published("Gemma 2 9B", ("gemma2", 256000, 3584, 42, 16), 1e4, 8192),
    Published("DeepSeek-V3", ("deepseek_v3", 129280, 7168, 61, 128), 1e4, 163840, DEEPSEEK),
    Published("gpt-oss 20B", ("gpt_oss", 201088, 2880, 24, 64), 1.5e5, 131072, GPT_OSS),
    Published("gpt-oss 120B", ("gpt_oss", 201088, 2880, 36, 64), 1.5e5, 131072, GPT_OSS),
)
"""From the configurations of these models; tests hold real files of most against it."""


def like(settings: Settings) -> Iterator[Published]:
    """Published models with weights of these sizes."""
    kind, vocabulary, *rest = (
        settings.model_type,
        settings.whole("vocab_size"),
        settings.whole("hidden_size"),
        settings.whole("num_hidden_layers"),
        settings.whole("num_attention_heads"),
    )
    if vocabulary is None:
        return
    for model in MODELS:
        of_kind, words, *sizes = model.sizes
        if kind == of_kind and rest == sizes and 0 <= vocabulary - words <= _ADDED_TOKENS:
            nearer = any(
                other.sizes[1] > words and vocabulary >= other.sizes[1] and other.sizes[2:] == model.sizes[2:]
                for other in MODELS
                if other.sizes[0] == kind
            )
            if not nearer:
                yield model
