"""Of which schemes there are golden vectors: all at one small size, and models in use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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

WHOLE = {"d_model": 16, "num_heads": 2, "head_dim": 8, "max_positions": 16, "num_layers": 4}
"""Sizes of the schemes whose whole pass is a vector."""

OWN: dict[str, dict[str, Any]] = {
    "dynamic-ntk": {"max_position_embeddings": 8},
    "longrope": {"original_max_position_embeddings": 8, "long_factor": (1.0, 1.5, 3.0, 6.0)},
    "cope-clipped": {"clipped": 3},
    "fope": {"context": 700},
    "temperature-rope": {"original_max_position_embeddings": 4},
    "temperature-nope": {"floor_scale": 4},
    "t5": {"num_buckets": 8, "max_distance": 12},
    "sandwich": {"sinusoid_dim": 8},
    "fire": {"width": 3, "threshold": 4.0},
    "swin-table": {"window_size": 16},
    "swin-cpb": {"width": 3},
    "inkling": {"d_rel": 2, "rel_extent": 8},
    "shaw": {"clip": 4},
    "deberta": {"max_relative_positions": 8},
    "deberta-v3": {"position_buckets": 8, "max_relative_positions": 300},
    "tagged": {"tags": ("n", "v", "x"), "sensitivity": (1.0, 0.5, 0.25)},
    "randomised": {"max_length": 8},
    "fourier": {"features": 6, "hidden": 4},
    "rerope": {"window": 4},
    "self-extend": {"window": 4, "group_size": 2},
    "dual-chunk": {"original_max_position_embeddings": 8},
    "streaming": {"sinks": 2, "window": 4},
    "string-shift": {"original_max_position_embeddings": 12, "local": 1},
    "lm-infinite": {"global_branch": 2, "window": 5},
    "cope-contextual": {"npos_max": 4},
    "selective-rope": {"phi_proj_rank": 3},
    "path": {"rank": 3},
    "path-fox": {"rank": 3},
    "dape": {"mlp_width": 3},
    "dape-v2": {"mlp_width": 3},
}
"""What else these schemes are given there, so that vectors stay small and something happens within them."""

CURVES = {"r1": [0.25, 0.5], "r2": [1.5, 0.125]}
WEIGHTS: dict[str, dict[str, Any]] = {"kerple-log": CURVES, "kerple-power": CURVES}
"""Weights that must be positive."""

NEAR = (0, 1, 2, 6, 15)
FAR = (0, 3, 300, 5000, 20_000)
ON_AXES = ((0, 0, 0), (0, 1, 2), (1, 0, 2), (3, 5, 4), (6, 5, 9))
"""Positions of five tokens; as many axes as the scheme has are taken."""

TEXT = "653+49=702"
PLACES: dict[str, dict[str, Any]] = {
    "abacus": {"text": list(TEXT), "drawn": [0.75]},
    "position-coupling": {"text": list(TEXT), "drawn": [0.75]},
    "shape": {"position": list(NEAR), "drawn": [0.625]},
    "randomised": {"position": [0, 1, 2, 4], "drawn": [0.5, 0.875, 0.0, 0.25, 0.75, 0.375, 0.625, 0.125]},
    "cape": {"position": list(NEAR), "drawn": [0.75, 0.5, 0.0, 0.875, 0.25, 0.625, 1.0]},
}
"""What decides where tokens stand."""


def filled(shape: tuple[int, ...], first: int = 0) -> NDArray[np.float64]:
    """Sixteenths from -5 to 5 in a fixed order that repeats after eleven.

    >>> filled((2, 2)).tolist()
    [[-0.125, 0.3125], [0.0625, -0.1875]]
    """
    count = np.arange(first, first + int(np.prod(shape)))
    return ((7 * count + 3) % 11 - 5).reshape(shape) / 16
