"""Ways to compute one attention call. The dense one is the reference; the others must agree with it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Tensor
from torch.amp.autocast_mode import is_autocast_available
from torch.nn import functional

from clockhands.core.bias import hidden
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.once import Once
from clockhands.language import Text

WHOLE_ROWS = ("logits", "weigh", "mix")
"""Hooks that need whole rows of logits or weights: no fused kernel has them."""


@dataclass(frozen=True)
class Call:
    """One attention call, queries and keys already turned.

    q ``(b, h, tq, hd)``; k, v ``(b, hk, tk, hd)``; dropout: probability that a weight is dropped
    once: what other layers made of the same places
    """

    encoding: Encoding
    q: Tensor
    k: Tensor
    v: Tensor
    ctx: Context
    dropout: float = 0.0
    want_weights: bool = False
    once: Once | None = None

    def prepared(self) -> Call:
        """The call with what the encoding prepares for it; all back ends but ``Blocked`` get it so."""
        return replace(self, ctx=replace(self.ctx, prepared=self.encoding.prepare(self.ctx)))


class BackEnd(Protocol):
    """One way to compute a call."""

    @property
    def name(self) -> str: ...

    def refusal(self, call: Call) -> Text | None:
        """Why it can't compute this call, None if it can."""
        ...

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        """Output ``(b, h, tq, hd)`` in the dtype of q, and the weights ``(b, h, tq, tk)`` if wanted."""
        ...


@dataclass(frozen=True)
class Dense:
    """The equation itself, step by step; computes every call."""

    name: str = "dense"

    def refusal(self, call: Call) -> Text | None:
        return None

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        encoding, ctx = call.encoding, call.ctx
        logits = encoding.logits(call.q, per_query_head(call.k, ctx), ctx)
        weights = encoding.weigh(logits, ctx)
        kept = functional.dropout(weights, call.dropout) if call.dropout else weights
        output = encoding.mix(kept, per_query_head(call.v, ctx), ctx).to(call.q.dtype)
        return output, weights if call.want_weights else None


@dataclass(frozen=True)
class Sdpa:
    """``torch.nn.functional.scaled_dot_product_attention``; a bias goes in as a dense mask."""

    name: str = "sdpa"

    def refusal(self, call: Call) -> Text | None:
        reason = refusal_of_any_fused(call)
        if reason is None and call.encoding.overrides("bias_at") and call.q.dtype != call.ctx.dtype:
            return Text(
                f"a bias rounded to {call.q.dtype} would merge distances",
                f"偏置舍入到 {call.q.dtype} 后，不同距离会变得一样",
            )
        return reason

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        ctx, visibility = call.ctx, call.ctx.visibility
        once = call.once or Once()
        bias = once.bias(call.encoding, ctx)
        by_slot_only = visibility.window is None and not visibility.reads_tokens
        if by_slot_only and (not visibility.causal or ctx.num_queries == 1):  # every key is seen
            return self._attention(call, bias, False), None
        if by_slot_only and bias is None and ctx.num_queries == ctx.num_keys:
            return self._attention(call, None, True), None
        if not visibility.reads_tokens:  # each query sees its own slot at least
            return self._attention(call, once.masked(bias, ctx), False), None
        mask = ctx.mask
        some = mask.any(-1, keepdim=True)
        # Rows that see nothing may look anywhere, which avoids NaN, and are set to zero afterwards.
        return self._attention(call, hidden(bias, mask | ~some), False).masked_fill(~some, 0.0), None

    @staticmethod
    def _attention(call: Call, mask: Tensor | None, is_causal: bool) -> Tensor:
        if mask is not None and mask.requires_grad and mask.device.type == "cpu":
            return _step_by_step(call, mask)
        ctx, q = call.ctx, call.q
        grouped = ctx.num_heads != ctx.num_kv_heads
        together = grouped and ctx.num_queries == 1
        if together:
            # One query of all heads that share keys is as many queries of one head: no key is repeated.
            q = q.reshape(len(q), ctx.num_kv_heads, -1, q.shape[-1])
            if mask is not None and mask.shape[1] > 1:
                mask = mask.reshape(len(mask), ctx.num_kv_heads, -1, mask.shape[-1])
        biased = mask is not None and mask.is_floating_point()
        with without_autocast(q) if biased else nullcontext():
            output = functional.scaled_dot_product_attention(
                q, call.k, call.v, attn_mask=mask, dropout_p=call.dropout, is_causal=is_causal,
                scale=ctx.scale, enable_gqa=grouped and not together,
            )  # fmt: skip
        return output.flatten(1, 2)[:, :, None] if together else output


def without_autocast(tensor: Tensor) -> AbstractContextManager[object]:
    """A context in which all is computed in the dtype that it has.

    Autocast would round a bias with all else to 16 bits, and merge distances.
    """
    device = tensor.device.type
    if is_autocast_available(device) and torch.is_autocast_enabled(device):
        return torch.autocast(device, enabled=False)
    return nullcontext()


def _step_by_step(call: Call, mask: Tensor) -> Tensor:
    """What PyTorch does on a CPU where the bias needs a gradient, with fewer passes over the logits."""
    k, v = (per_query_head(one, call.ctx) for one in (call.k, call.v))
    weights = ((call.q * call.ctx.scale) @ k.transpose(-1, -2) + mask).softmax(-1)
    return (functional.dropout(weights, call.dropout) if call.dropout else weights) @ v


def refusal_of_any_fused(call: Call) -> Text | None:
    """Why no fused kernel can compute this call, derived from the hooks that the scheme has."""
    rows = [hook for hook in WHOLE_ROWS if call.encoding.overrides(hook)]
    if rows:
        return Text(
            f"the scheme needs whole rows ({', '.join(rows)}), which fused kernels never hold",
            f"该编码需要整行的注意力（{'、'.join(rows)}），融合算子里没有",
        )
    if call.want_weights:
        return Text("weights are wanted, which fused kernels never hold", "需要注意力权重，融合算子里没有")
    return None


def per_query_head(kv: Tensor, ctx: Context) -> Tensor:
    """Keys or values ``(b, hk, tk, hd)`` -> ``(b, h, tk, hd)``: head h reads key head ``h // (h / hk)``."""
    group = ctx.num_heads // ctx.num_kv_heads
    return kv if group == 1 else kv.repeat_interleave(group, dim=1)
