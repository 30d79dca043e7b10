"""What all comparisons with reference libraries share."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from clockhands.core.attend import attend, enter
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import CAUSAL, Visibility


class Peers:
    """Modules of the reference libraries, each imported when it is first asked for: that takes seconds."""

    def hf(self, model: str) -> ModuleType:
        """``transformers.models.MODEL.modeling_MODEL``."""
        return import_module(f"transformers.models.{model}.modeling_{model}")

    def config(self, model: str, name: str, **fields: Any) -> Any:
        made = getattr(import_module(f"transformers.models.{model}.configuration_{model}"), name)(**fields)
        made._attn_implementation = "eager"
        return made

    @property
    def rope(self) -> ModuleType:
        return import_module("transformers.modeling_rope_utils")

    @property
    def x(self) -> ModuleType:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
            return import_module("x_transformers.x_transformers")

    @property
    def rotary(self) -> ModuleType:
        return import_module("rotary_embedding_torch.rotary_embedding_torch")


def randomised(module: nn.Module, spread: float = 0.3) -> Any:
    """The module for evaluation, with weights so large that positions show in its scores."""
    generator = torch.Generator().manual_seed(1)
    for parameter in module.parameters():
        parameter.data = spread * torch.randn(parameter.shape, generator=generator)
    return module.eval()


def heads(x: Tensor, num_heads: int) -> Tensor:
    """``(b, t, heads * hd)`` -> ``(b, heads, t, hd)``."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def causal_mask(length: int) -> Tensor:
    """What transformers adds to logits, ``(1, 1, t, t)``."""
    return torch.full((length, length), float("-inf")).triu(1)[None, None]


def weights(
    encoding: Encoding,
    q: Tensor,
    k: Tensor,
    *,
    positions: Tensor | None = None,
    x: Tensor | None = None,
    visibility: Visibility = CAUSAL,
    scale: float | None = None,
) -> Tensor:
    """What our attention makes of these heads, ``(b, h, t, t)``."""
    tokens = torch.zeros(q.shape[0], q.shape[2], 1) if x is None else x
    _, (placed,) = enter([encoding], tokens, positions)
    made = attend(placed, q, k, k, visibility=visibility, x=x, scale=scale, want_weights=True).weights
    assert made is not None
    return made
