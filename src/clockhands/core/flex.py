"""FlexAttention: bias and mask computed inside the kernel, from the same formulas as the dense path."""

from __future__ import annotations

import shutil
import warnings
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from clockhands.core.back_ends import Call, refusal_of_any_fused
from clockhands.core.bias import score_mod
from clockhands.language import Text


@dataclass(frozen=True)
class FlexAttention:
    """PyTorch's ``flex_attention``.

    compiled     True: ``torch.compile`` makes a kernel, seconds for each new shape; on a CPU that takes a C++
                 compiler. False: PyTorch's unfused reference, the same numbers without gain
    min_queries  fewer queries than this are refused: compiling would cost more than it saves
    on_cpu       whether it is compiled on a CPU too: half a minute for each new shape, and for some biases
                 (T5's, with more than one head) torch 2.13 writes C++ that doesn't compile

    On a CPU it runs forward only, so it is refused as soon as anything requires a gradient.
    """

    compiled: bool = True
    min_queries: int = 2048
    on_cpu: bool = False
    name: str = "flex"

    def refusal(self, call: Call) -> Text | None:
        return refusal_of_any_fused(call) or self._not_worth_it(call) or self._not_possible(call)

    def _not_worth_it(self, call: Call) -> Text | None:
        visibility = call.ctx.visibility
        masked = visibility.reads_tokens or visibility.window is not None
        if not masked and not call.encoding.overrides("bias_at"):
            return Text("there is no bias or mask to fuse", "没有可以融合的偏置或掩码")
        queries = call.ctx.num_queries
        if queries < self.min_queries:
            return Text(
                f"{queries} queries are fewer than {self.min_queries}: compiling costs more than it saves",
                f"查询只有 {queries} 个，少于 {self.min_queries}：编译得不偿失",
            )
        return None

    def _not_possible(self, call: Call) -> Text | None:
        device = call.q.device.type
        if call.dropout:
            return Text("FlexAttention drops no weights", "FlexAttention 不支持注意力丢弃（dropout）")
        if device not in ("cpu", "cuda", "xpu"):
            return Text(f"FlexAttention does not run on {device}", f"FlexAttention 不能在 {device} 上运行")
        if device == "cpu" and self.compiled and not self.on_cpu:
            return Text("on a CPU it takes long to compile", "在 CPU 上编译耗时太长")
        if device == "cpu" and _needs_gradient(call):
            return Text(
                "on a CPU FlexAttention runs forward only, and an input requires a gradient",
                "在 CPU 上 FlexAttention 只能前向计算，而有输入需要梯度",
            )
        if device == "cuda" and call.q.shape[-1] < 16:
            return Text(
                f"on CUDA FlexAttention needs head_dim 16 or more, and it is {call.q.shape[-1]}",
                f"在 CUDA 上 FlexAttention 要求 head_dim 至少为 16，现在是 {call.q.shape[-1]}",
            )
        if self.compiled and call.q.dtype == torch.float64:
            return Text("a compiled FlexAttention has no float64", "编译后的 FlexAttention 不支持 float64")
        if self.compiled and device == "cpu" and not torch.compiler.is_compiling() and not _cpp_compiler():
            return Text(
                "on a CPU FlexAttention needs a C++ compiler, and none was found",
                "在 CPU 上 FlexAttention 需要 C++ 编译器，没有找到",
            )
        return None

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        ctx = call.ctx
        mask = create_block_mask(
            ctx.visibility.mask_mod(ctx.q_start), ctx.batch, None, ctx.num_queries, ctx.num_keys,
            device=str(ctx.device),
        )  # fmt: skip
        kernel = flex_attention
        if self.compiled and not torch.compiler.is_compiling():
            kernel = torch.compile(flex_attention)  # pyright: ignore[reportUnknownMemberType] (untyped in torch)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
            output = kernel(
                call.q, call.k, call.v, score_mod=score_mod(call.encoding, ctx), block_mask=mask,
                scale=ctx.scale, enable_gqa=ctx.num_heads != ctx.num_kv_heads,
            )  # fmt: skip
        assert isinstance(output, Tensor)
        return output, None


def _needs_gradient(call: Call) -> bool:
    if not torch.is_grad_enabled():
        return False
    tensors = (call.q, call.k, call.v, *call.encoding.parameters())
    return any(tensor.requires_grad for tensor in tensors)


def _cpp_compiler() -> bool:
    return any(shutil.which(name) for name in ("g++", "clang++", "cl"))
