"""What encodings share that read hidden states: numbers to start from, convolutions along the tokens."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from clockhands.core.context import Context
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.schemes.relative import trained


def drawn(random: np.random.Generator, *shape: int, fan_in: int) -> nn.Parameter:
    """A parameter that starts uniformly within ``1 / sqrt(fan_in)`` of zero, as torch's own layers do."""
    bound = fan_in**-0.5
    return trained(random.uniform(-bound, bound, shape))


def require_heads(num_heads: int, ctx: Context) -> None:
    """Refuse attention whose number of heads is not the encoding's own."""
    if num_heads != ctx.num_heads:
        raise ClockhandsError(
            f"the encoding has {num_heads} heads and the attention {ctx.num_heads}: give both the same "
            "num_heads",
            f"编码有 {num_heads} 个头，而注意力有 {ctx.num_heads} 个：两者的 num_heads 应相同",
        )


def together(visibility: Visibility) -> Tensor | None:
    """``(b, tk, tk)`` bool: whether two tokens are of one document. None: all are."""
    documents = visibility.documents
    return None if documents is None else documents[:, :, None] == documents[:, None, :]


def unless_padding(x: Tensor, visibility: Visibility) -> Tensor:
    """``(b, tk, ...)`` with zeros where a token is padding."""
    if visibility.valid is None:
        return x
    return x.masked_fill(~visibility.valid.view(*x.shape[:2], *([1] * (x.ndim - 2))), 0.0)


def convolved(x: Tensor, taps: Tensor, visibility: Visibility) -> Tensor:
    """A causal convolution along the tokens, one filter a channel; same shape and dtype as x.

    x     ``(b, tk, ...)``; padding and tokens of other documents count as zeros
    taps  ``(size, ...)``: the last one multiplies the token itself, the one before it the token before, …
    """
    x, documents, length = unless_padding(x, visibility), visibility.documents, x.shape[1]
    result = torch.zeros_like(x)
    for behind, tap in enumerate(taps.to(x.dtype).flip(0)):
        if behind >= length:
            break
        earlier = x[:, : length - behind]
        if documents is not None:
            same = documents[:, : length - behind] == documents[:, behind:]
            earlier = earlier * same.view(*earlier.shape[:2], *([1] * (x.ndim - 2)))
        result = result + tap * functional.pad(earlier, (*[0, 0] * (x.ndim - 2), behind, 0))
    return result


def per_query_head(memory: Tensor, num_heads: int) -> Tensor:
    """Memory ``(b, tk, groups, ...)`` -> ``(b, num_heads, tk, ...)``: each group serves as many heads."""
    return memory.transpose(1, 2).repeat_interleave(num_heads // memory.shape[2], dim=1)
