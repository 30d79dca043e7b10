"""Products of queries and keys and the softmax over them, of attention that has code of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from clockhands.check.probe.hf.factors import factors
from clockhands.check.probe.hf.seen import Seen

if TYPE_CHECKING:
    from clockhands.check.probe.hf.watch import Watch


WATCHED = (
    "matmul", "__matmul__", "bmm", "baddbmm", "einsum", "softmax", "_softmax", "scaled_dot_product_attention",
)  # fmt: skip
"""Functions by which attention is written."""


class Products(TorchFunctionMode):
    """Sees products of queries and keys, and the softmax over them; makes ``detach`` do nothing."""

    def __init__(self, watch: Watch):
        super().__init__()
        self.watch = watch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "detach" and torch.is_grad_enabled():
            return args[0]
        if name == "full" and "dtype" not in kwargs and len(args) > 1 and isinstance(args[1], float):
            # The lowest number of float64, written for a model of another dtype, is none of float32.
            args = (args[0], max(min(args[1], 3e38), -3e38), *args[2:])
        output = func(*args, **kwargs)
        if name not in WATCHED:
            return output
        with self.watch.ours():
            return self._seen(name, args, kwargs, output)

    def _seen(self, name: str, args: Any, kwargs: Any, output: Any) -> Any:
        if name in ("matmul", "__matmul__", "bmm", "baddbmm", "einsum"):
            found = factors(name, args, kwargs)
            if found is not None and isinstance(output, Tensor) and output.ndim >= 3:
                self.watch.products.append((found[0].detach(), found[1].detach(), output.detach(), found[2]))
        elif name in ("softmax", "_softmax"):
            logits = args[0] if args else kwargs.get("input")
            seen = isinstance(logits, Tensor) and self._softmax(logits)
            return torch.zeros_like(output) if self.watch.mute and seen else output
        elif name == "scaled_dot_product_attention":
            self._whole(*args, **kwargs)
            return torch.zeros_like(output) if self.watch.mute else output
        return output

    def _softmax(self, logits: Tensor) -> bool:
        """Whether it was one over products of queries and keys."""
        owner = self.watch.owner()
        if owner is None or logits.ndim < 3:
            return False
        logits = logits.detach()
        fitting = [each for each in self.watch.products if each[2].numel() == logits.numel()]
        q = k = None
        if fitting:
            q, k = fitting[0][0], fitting[0][1]
        seen = Seen(module=owner, q=q, k=k, logits=logits, products=len(fitting))
        self.watch.note(seen)
        self.watch.products.clear()
        return bool(fitting)

    def _whole(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
        dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        owner = self.watch.owner()
        if owner is None:
            return
        if isinstance(attn_mask, Tensor) and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(~attn_mask, -torch.inf)
        if is_causal and attn_mask is None:
            t, tk = query.shape[-2], key.shape[-2]
            attn_mask = torch.full((1, 1, t, tk), -torch.inf, dtype=query.dtype).triu(1)
        times = float(query.shape[-1]) ** -0.5 if scale is None else float(scale)
        self.watch.note(Seen(owner, query.detach(), key.detach(), times, attn_mask))
