"""A few queries in a narrow dtype with a bias: keys and values are widened piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from clockhands.core.back_ends import Call, refusal_of_any_fused
from clockhands.core.bias import dense_bias
from clockhands.language import Text


@dataclass(frozen=True)
class Lifted:
    """What ``Dense`` computes, in the dtype of the logits, for heads that share keys together.

    A bias rounded to bfloat16 would merge distances, so that such a call is computed in float32. Keys and
    values are read as they are cached and widened where the processor's own cache still holds them.

    most  more queries than this are refused: their logits would take more memory than the keys
    keys  that are widened at a time on a CPU; elsewhere all are, since each piece is a launch
    """

    most: int = 16
    keys: int = 256
    name: str = "lifted"

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
            return Text("pieces drop no weights", "分段计算不支持注意力丢弃（dropout）")
        if torch.is_grad_enabled():
            return Text("a gradient may be wanted", "可能需要梯度")
        if torch.compiler.is_compiling():
            return Text("a compiled graph would hold each piece", "编译后的计算图会展开每一段")
        return refusal_of_any_fused(call)

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        ctx, wide = call.ctx, call.ctx.dtype
        b, h, t, hd = call.q.shape
        size = self.keys if call.q.device.type == "cpu" else max(1, ctx.num_keys)
        # Queries of all heads that share keys are as many queries of one head: no key is repeated.
        q = call.q.to(wide).reshape(b, ctx.num_kv_heads, -1, hd)
        pieces = [q @ k.to(wide).transpose(-1, -2) for k in torch.split(call.k, size, dim=2)]
        logits = torch.cat(pieces, dim=-1).view(b, h, t, -1) * ctx.scale
        bias = dense_bias(call.encoding, ctx)
        weights = call.encoding.weigh(logits if bias is None else logits + bias, ctx)
        weights = weights.reshape(*q.shape[:3], -1)
        output = weights.new_zeros(*q.shape[:3], call.v.shape[-1])
        for start, v in enumerate(torch.split(call.v, size, dim=2)):
            output += weights[..., start * size : (start + 1) * size] @ v.to(wide)
        return output.view(b, h, t, -1).to(call.q.dtype), None
