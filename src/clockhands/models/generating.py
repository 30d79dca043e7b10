"""Text from a decoder, token by token."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.catalogue.rules import require_count, require_real
from clockhands.core.cache import Cache
from clockhands.errors import ClockhandsError
from clockhands.models.transformer import Transformer


@torch.no_grad()
def generate(
    model: Transformer,
    tokens: Tensor,
    length: int,
    *,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """``tokens`` ``(b, t)`` followed by ``length`` new ones, ``(b, t + length)``.

    temperature  0: the likeliest token each time; 1: as likely as the model says; needs plain positions

    Raises ClockhandsError for an encoder, which has nothing to go on with.
    """
    require_count(length, "length")
    require_real(temperature, "temperature", least=0.0)
    if not model.causal:
        raise ClockhandsError(
            "this model is an encoder (causal=False), and only a decoder can go on: make it with causal=True",
            "这个模型是编码器（causal=False），只有解码器能续写：请用 causal=True 建立",
        )
    cache = Cache(len(model.blocks), length_to_come=tokens.shape[1] + length)
    fresh = tokens
    for _ in range(length):
        logits = model(fresh, cache=cache).logits[:, -1]
        if temperature:
            chances = (logits / temperature).softmax(-1)
            fresh = torch.multinomial(chances, 1, generator=generator)
        else:
            fresh = logits.argmax(-1, keepdim=True)
        tokens = torch.cat((tokens, fresh), dim=1)
    return tokens
