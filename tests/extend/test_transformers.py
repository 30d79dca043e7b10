"""Settings that a plan proposes, given to transformers: its models turn as planned, at the wanted length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from huggingface_hub.errors import StrictDataclassClassValidationError
from transformers import AutoConfig, AutoModelForCausalLM

from clockhands.check.read.config import laid_over
from clockhands.extend import IDS, Plan, plan

SIZES = {
    "hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1, "num_hidden_layers": 2,
    "intermediate_size": 32, "vocab_size": 32, "max_position_embeddings": 256, "pad_token_id": 0,
    "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
PHI = {"type": "longrope", "short_factor": [1.0] * 12, "long_factor": [1.0 + i / 4 for i in range(12)]}
FILES: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", "rope_theta": 1e4},
    "llama-3.1": {
        "model_type": "llama", "rope_theta": 5e5,
        "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 16,
                         "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    },
    "yarn": {
        "model_type": "llama", "rope_theta": 1e4,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64,
                         "beta_fast": 16.0, "truncate": False},
    },
    "qwen3": {"model_type": "qwen3", "rope_theta": 1e6, "head_dim": 48},
    "gemma3": {
        "model_type": "gemma3_text", "rope_theta": 1e6, "rope_local_base_freq": 1e4, "head_dim": 32,
        "sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"],
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    },
    "gemma3-nested": {
        "model_type": "gemma3_text", "head_dim": 32, "sliding_window": 16,
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                            "full_attention": {"rope_type": "default", "rope_theta": 1e6}},
    },
    "phi3": {"model_type": "phi3", "rope_theta": 1e4, "partial_rotary_factor": 0.75, "rope_scaling": PHI,
             "original_max_position_embeddings": 64},
    "gpt_neox": {"model_type": "gpt_neox", "rotary_emb_base": 2e4, "rotary_pct": 0.5},
}  # fmt: skip
TO = 1000


def proposed() -> list[Any]:
    found = []
    for name, file in FILES.items():
        made = plan({**SIZES, **file}, TO)
        for step in made.steps:
            for place, setting in enumerate(step.settings):
                if setting.framework == "transformers":
                    case = (made, step.method.id, setting.keys)
                    found.append(pytest.param(name, *case, id=f"{name}-{step.method.id}-{place}"))
    return found


def rotary_of(name: str, keys: dict[str, Any]) -> Any:
    """The rotary module of a model built from the file with the keys laid over."""
    values = laid_over({**SIZES, **FILES[name]}, keys)
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(**values)).base_model.rotary_emb


@pytest.mark.parametrize(("name", "made", "method", "keys"), proposed())
def test_the_model_turns_as_planned(name: str, made: Plan, method: str, keys: dict[str, Any]) -> None:
    rotary, look = rotary_of(name, keys), made.step(method).look
    layer = "full_attention" if name.startswith("gemma3") else None
    more = {"layer_type": layer} if layer else {}
    rotary(torch.zeros(1, 1, 1), torch.arange(TO)[None], **more)  # those that hang on the length see it
    prefix = f"{layer}_" if layer else ""
    speeds = getattr(rotary, f"{prefix}inv_freq").double().numpy()
    np.testing.assert_allclose(speeds, look.inv_freq, rtol=1e-6)
    assert getattr(rotary, f"{prefix}attention_scaling") == pytest.approx(look.attention_factor, rel=1e-6)
    if layer:
        windowed = rotary.sliding_attention_inv_freq.double().numpy()
        np.testing.assert_allclose(windowed, 1e4 ** -(np.arange(0, 32, 2) / 32), rtol=1e-6)


def test_each_family_gets_what_its_class_takes() -> None:
    """Phi-3's class stops at any type but longrope; the others take all six."""
    taken: dict[str, set[str]] = {}
    for case in proposed():
        name, _, method, _ = case.values
        taken.setdefault(name, set()).add(method)
    six = set(IDS[:6])
    assert taken == {name: six if name != "phi3" else {"ntk", "longrope"} for name in FILES}


def test_phi_3_does_stop_at_other_types() -> None:
    with pytest.raises(StrictDataclassClassValidationError, match="must be one of"):
        rotary_of("phi3", {"rope_scaling": {"rope_type": "linear", "factor": 4.0}})
