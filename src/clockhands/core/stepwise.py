"""Softmax attention with a bias, its gradient written out: for blocks that are computed again on a CPU.

Weights, and gradients of logits, below the smallest normal number count as 0, as they do with
``torch.set_flush_denormal``. The weights of a row sum to 1, so that those left out weigh nothing beside it; a
gradient is left out where it would be below 1.2e-38 itself. Many processors multiply such numbers slowly, and
a bias that falls without end, as in ALiBi's steep heads, makes some in each long row: without this a gradient
takes three times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from clockhands.core.back_ends import Call, Sdpa, without_autocast


@dataclass(frozen=True)
class Stepwise(Sdpa):
    """What ``Sdpa`` computes, with all logits of a call in memory, and their gradient in four products."""

    name: str = "stepwise"

    @staticmethod
    def _attention(call: Call, mask: Tensor | None, is_causal: bool) -> Tensor:
        if mask is None or not mask.is_floating_point() or call.dropout:
            return Sdpa._attention(call, mask, is_causal)
        with without_autocast(call.q):
            output: Tensor = _applied(call.q, call.k, call.v, mask, call.ctx.scale)
        return output


class _Attention(torch.autograd.Function):
    """Query heads that share a key head are rows of one matrix: no key is repeated."""

    @staticmethod
    def forward(  # pyright: ignore[reportIncompatibleMethodOverride] (torch's own has no names)
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, bias: Tensor, scale: float
    ) -> Tensor:
        batch, heads, queries, width = q.shape
        shared, count = heads // k.shape[1], k.shape[2]
        keys, values = k.flatten(0, 1), v.flatten(0, 1)
        rows = q.reshape(len(keys), shared * queries, width)
        logits = bias.expand(batch, heads, queries, count).reshape(len(keys), shared * queries, count)
        logits = torch.baddbmm(logits, rows, keys.mT, alpha=scale)
        nothing = logits.amax(-1, keepdim=True) == -torch.inf  # a bias may hide all that the mask shows
        weights = logits.softmax(-1).masked_fill_(nothing, 0.0)
        functional.threshold(weights, _tiny(weights), 0.0, inplace=True)
        output = weights @ values
        ctx.save_for_backward(rows, keys, values, weights, output)
        ctx.scale, ctx.shapes = scale, (q.shape, k.shape, v.shape, bias.shape)
        return output.view(batch, heads, queries, v.shape[3])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *of_output: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride] (as above)
        rows, keys, values, weights, output = ctx.saved_tensors
        of_q, of_k, of_v, of_bias = ctx.shapes
        wanted = ctx.needs_input_grad
        with without_autocast(rows):
            coming = of_output[0].reshape(output.shape)
            logits = (coming @ values.mT).sub_((coming * output).sum(-1, keepdim=True)).mul_(weights)
            torch.hardshrink(logits, _tiny(logits), out=logits)
            return (
                (logits @ keys).mul_(ctx.scale).view(of_q) if wanted[0] else None,
                (logits.mT @ rows).mul_(ctx.scale).view(of_k) if wanted[1] else None,
                (weights.mT @ coming).view(of_v) if wanted[2] else None,
                logits.view(*of_q[:3], of_k[2]).sum_to_size(of_bias) if wanted[3] else None,
                None,
            )


def _tiny(tensor: Tensor) -> float:
    return torch.finfo(tensor.dtype).smallest_normal


def _applied(*given: Any) -> Any:
    return _Attention.apply(*given)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] (untyped in torch)
