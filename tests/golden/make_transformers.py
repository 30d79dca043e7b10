"""Makes ``transformers.json``: what the Hugging Face models compute, as published in their package.

Run with ``python tests/golden/make_transformers.py`` where ``transformers`` and ``torch`` are installed.
Inputs are chosen so that no square grid, power-of-two head count or position 0 hides a mistake.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import transformers
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as turn_interleaved
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as turn_half
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.whisper.modeling_whisper import sinusoids

POSITIONS = [1, 5, 17, 300]
HEAD = [0.5, -1.25, 2.0, 0.75, -0.125, 3.0, 1.5, -2.5]


def slopes(num_heads: int) -> list[float]:
    """Bloom multiplies slopes with positions: position 1 of a row of ones shows them."""
    return build_alibi_tensor(torch.ones(1, 2), num_heads, torch.float32)[:, 0, 1].tolist()


def mpt_slopes(num_heads: int) -> list[float]:
    bias = build_mpt_alibi_tensor(num_heads, 2)  # columns are distances 1 and 0, negative
    return (-bias[:, 0, 0]).tolist()


def buckets(num_buckets: int, max_distance: int, bidirectional: bool) -> list[int]:
    """For key minus query position from -300 to 300."""
    relative = torch.arange(-300, 301)
    return T5Attention._relative_position_bucket(relative, bidirectional, num_buckets, max_distance).tolist()


def llama() -> dict[str, object]:
    config = LlamaConfig(head_dim=8, hidden_size=8, num_attention_heads=1)
    x = torch.tensor(HEAD).expand(1, 1, len(POSITIONS), 8)
    cos, sin = LlamaRotaryEmbedding(config)(x, torch.tensor([POSITIONS]))
    return {"turned": turn_half(x, x, cos, sin)[0][0, 0].tolist()}


def gptj() -> dict[str, object]:
    x = torch.tensor(HEAD).expand(1, len(POSITIONS), 1, 8)
    sin, cos = create_sinusoidal_positions(512, 8)[POSITIONS][None].chunk(2, -1)
    return {"turned": turn_interleaved(x, sin, cos)[0, :, 0].tolist()}


def main() -> None:
    marian = MarianSinusoidalPositionalEmbedding(512, 10)
    marian.weight.data = marian.create_weight()
    found = {
        "provenance": f"transformers {transformers.__version__}, torch {torch.__version__}, float32: "
        "python tests/golden/make_transformers.py",
        "positions": POSITIONS,
        "head": HEAD,
        "alibi_bloom": {count: slopes(count) for count in (1, 2, 3, 6, 12, 20, 40, 112)},
        "alibi_mpt": {count: mpt_slopes(count) for count in (6, 12, 20, 40, 112)},
        "t5": [
            {"num_buckets": n, "max_distance": far, "bidirectional": both, "buckets": buckets(n, far, both)}
            for n, far, both in ((32, 128, False), (32, 128, True), (16, 100, False), (20, 77, True))
        ],
        "llama_half": llama(),
        "gptj_interleaved": gptj(),
        "marian_concatenated": marian.weight[POSITIONS].tolist(),
        "whisper_inclusive": sinusoids(512, 10)[POSITIONS].tolist(),
    }
    Path(__file__).with_name("transformers.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
