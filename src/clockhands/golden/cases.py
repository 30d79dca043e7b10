"""Of which schemes there are golden vectors: all at one small size, and models in use."""

from __future__ import annotations

from clockhands.catalogue import describe
from clockhands.catalogue.description import Description

SIZES = {"d_model": 32, "num_heads": 4, "head_dim": 8, "max_positions": 512, "num_layers": 4}

_TRAINED_4096 = {"original_max_position_embeddings": 4096}

VARIANTS: tuple[Description, ...] = (
    describe("sinusoidal", d_model=7),
    describe("sinusoidal", d_model=8, arrangement="concatenated", exponent="i/(d/2-1)"),
    describe("sinusoidal", d_model=8, first="cos"),
    describe("rope", head_dim=8, layout="interleaved"),
    describe("rope", head_dim=8, rotary_dim=4),
    describe("rope", head_dim=128, rope_theta=1e6),
    describe("yarn", head_dim=128, rope_theta=1e6, factor=4.0, original_max_position_embeddings=32768),
    describe(
        "yarn",
        head_dim=64,
        rope_theta=1.5e5,
        factor=32.0,
        original_max_position_embeddings=4096,
        truncate=False,
    ),
    describe(
        "yarn",
        head_dim=64,
        factor=40.0,
        original_max_position_embeddings=4096,
        mscale=1.0,
        mscale_all_dim=1.0,
    ),
    describe("llama3", head_dim=128),
    describe("llama3", head_dim=64, factor=32.0),
    describe("longrope", head_dim=96, factor=32.0, **_TRAINED_4096),
    describe("proportional", head_dim=512, rope_theta=1e6, moving_share=0.25),
    describe("alibi", num_heads=12),
    describe("alibi", num_heads=8, symmetric=True),
)
"""Other conventions, and Qwen 3, gpt-oss, DeepSeek-V3, Llama 3.1 and 3.2, Phi-3, Gemma 4."""
