"""Tiny random models of transformers; nothing is fetched."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

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


def logits(model: Any, tokens: Tensor, **given: Any) -> Tensor:
    return model(tokens, **given).logits


def in_parts(
    model: Any, tokens: Tensor, sizes: tuple[int, ...], positions: Tensor | None = None, **given: Any
) -> Tensor:
    """The same logits from a cache that is filled part by part."""
    cache, start, found = _new_cache(), 0, []
    for size in sizes:
        part = slice(start, start + size)
        ids = {} if positions is None else {"position_ids": positions[:, part]}
        found.append(model(tokens[:, part], cache=cache, **ids, **given).logits)
        start += size
    return torch.cat(found, dim=1)


def generated(model: Any, tokens: Tensor, count: int = 8, **given: Any) -> Tensor:
    return model.generate(tokens, max_new_tokens=count, do_sample=False, pad_token_id=0, **given)


def _new_cache() -> Any:
    from transformers import DynamicCache

    return DynamicCache()
