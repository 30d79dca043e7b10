"""Small configurations around one that is right, for tests of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clockhands.check.finding import Finding
from clockhands.check.read.config import read_config
from clockhands.check.rules import findings
from clockhands.check.subject import Subject

TRAINED = "original_max_position_embeddings"

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 1024, "num_attention_heads": 8, "num_key_value_heads": 4,
    "num_hidden_layers": 4, "max_position_embeddings": 32768, "rope_theta": 500000.0, "vocab_size": 1000,
}  # fmt: skip
"""Heads of 128 dimensions, 64 hands."""

YARN = {"rope_type": "yarn", "factor": 4.0, TRAINED: 8192}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    TRAINED: 4096,
}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 64, "long_factor": [2.0] * 64, TRAINED: 8192}
GEMMA: dict[str, Any] = {
    "model_type": "gemma3_text", "hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": 1,
    "head_dim": 128, "num_hidden_layers": 4, "max_position_embeddings": 32768, "sliding_window": 512,
    "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
    },
}  # fmt: skip

GONE = object()
"""In place of a value: the key isn't there."""


def but(config: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """The same with other values; ``GONE`` takes one away."""
    return {key: value for key, value in {**config, **changed}.items() if value is not GONE}


def local(**changed: Any) -> dict[str, Any]:
    """Gemma 3 with its sliding layers' parameters changed."""
    given = GEMMA["rope_parameters"]
    return but(
        GEMMA, rope_parameters={**given, "sliding_attention": but(given["sliding_attention"], **changed)}
    )


def subject_of(
    config: dict[str, Any],
    *,
    framework: str = "transformers",
    served: int | None = None,
    dtype: str | None = None,
) -> Subject:
    return replace(read_config(config), framework=framework, dtype=dtype).served(served)


def found(config: dict[str, Any], code: str, **asked: Any) -> list[Finding]:
    """What one rule finds."""
    return [finding for finding in findings(subject_of(config, **asked)) if finding.code == code]
