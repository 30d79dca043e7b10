"""A few queries in a narrow dtype with a bias that keeps its own."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from clockhands.core.back_ends import Call, Sdpa, refusal_of_any_fused
from clockhands.core.bias import dense_bias
from clockhands.language import Text


@dataclass(frozen=True)
class WideBias:
    """Attention with a float32 bias on queries, keys and values of 16 bits, as a cache holds them.

    A bias rounded to bfloat16 would merge distances. PyTorch's kernel for CPUs adds a float32 one to its
    float32 logits, and reads keys and values as they are. Those of other devices want one dtype: there keys
    and values are widened, for heads that share keys together.

    most  more queries than this are refused: their logits would take more memory than the keys
    """

    most: int = 16
    name: str = "wide-bias"

    def refusal(self, call: Call) -> Text | None:
        ctx = call.ctx
        if call.q.dtype == ctx.dtype:
            return Text(f"{ctx.dtype} is wide enough as it is", f"{ctx.dtype} 本身已足够宽")
        if ctx.num_queries > self.most:
            return Text(
                f"{ctx.num_queries} queries are more than {self.most}",
                f"查询有 {ctx.num_queries} 个，多于 {self.most}",
            )
        if call.dropout:
            return Text("it drops no weights", "它不支持注意力丢弃（dropout）")
        if torch.is_grad_enabled():
            return Text("a gradient may be wanted", "可能需要梯度")
        return refusal_of_any_fused(call)

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        return Sdpa().run(call) if call.q.device.type == "cpu" else (widened(call), None)


def widened(call: Call) -> Tensor:
    """What ``Dense`` computes, in the dtype of the logits; no key is repeated for the heads that share it."""
    ctx, wide = call.ctx, call.ctx.dtype
    b, h, t, hd = call.q.shape
    # Queries of all heads that share keys are as many queries of one head.
    q = call.q.to(wide).reshape(b, ctx.num_kv_heads, -1, hd)
    logits = (q @ call.k.to(wide).transpose(-1, -2)).view(b, h, t, -1) * ctx.scale
    bias = dense_bias(call.encoding, ctx)
    weights = call.encoding.weigh(logits if bias is None else logits + bias, ctx)
    output = weights.reshape(*q.shape[:3], -1) @ call.v.to(wide)
    return output.view(b, h, t, -1).to(call.q.dtype)
