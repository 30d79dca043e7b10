"""Tiny random models of transformers; nothing is fetched."""

from __future__ import annotations

from typing import Any

import torch

SIZES = {"vocab_size": 61, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
         "num_attention_heads": 4, "max_position_embeddings": 128}  # fmt: skip


def llama(**fields: Any) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(**{**SIZES, "num_key_value_heads": 2, "eos_token_id": None, **fields})
    return _randomised(LlamaForCausalLM(config))


def neox(**fields: Any) -> Any:
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

    rope = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
    fields = {"rope_parameters": rope, "eos_token_id": None, "hidden_dropout": 0.0, **fields}
    return _randomised(GPTNeoXForCausalLM(GPTNeoXConfig(**{**SIZES, **fields})))


def _randomised(model: Any) -> Any:
    """Weights so large that positions show in the logits."""
    generator = torch.Generator().manual_seed(1)
    for name, parameter in model.named_parameters():
        if "norm" not in name:
            parameter.data = 0.3 * torch.randn(parameter.shape, generator=generator)
    return model.eval()
