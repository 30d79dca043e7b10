"""The library's interfaces for attention and its masks, watched: what they are given is noted, and masks say
by which rule they were made."""

from __future__ import annotations

import inspect
import math
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from clockhands.check.probe.hf.seen import Seen
from clockhands.check.probe.hf.watch import WATCHING, Watch

NAME = "clockhands-probe"
"""What the library's interfaces know the watching functions as."""


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any = None, *args: Any,
    scaling: float | None = None, **kwargs: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """What the interface calls: notes what it sees and gives every query the mean of the values."""
    watch = WATCHING.get()
    with nullcontext() if watch is None else watch.ours():
        return _attended(watch, module, query, key, value, attention_mask, scaling, kwargs)


def _attended(
    watch: Watch | None, module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any,
    scaling: float | None, others: dict[str, Any],
) -> tuple[Tensor, None]:  # fmt: skip
    if watch is not None:
        watch.interface = True
        bias, code = None, None
        extra = [each for each in others.values() if _is_bias(each, query, key)]
        if _is_bias(attention_mask, query, key) and attention_mask.is_floating_point():
            code = _code(attention_mask)
        for each in [attention_mask, *extra]:
            if _is_bias(each, query, key):
                each = each.detach()
                if each.dtype == torch.bool:
                    each = torch.zeros_like(each, dtype=query.dtype).masked_fill(~each, -torch.inf)
                bias = each if bias is None else bias + each
        if bias is not None and code is not None:
            bias = bias.clone()
            bias[..., 0, 0] -= code * 2.0**-30
        scaling = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
        watch.note(Seen(module, query.detach(), key.detach(), scaling, bias, mask_code=code))
    groups = query.shape[1] // value.shape[1]
    # What attends to other states of the same token, as over the depth, mixes no tokens.
    if watch is not None and watch.mute and query.shape[1] != watch.count:
        value = torch.zeros_like(value)
    mean = value.mean(2, keepdim=True).repeat_interleave(groups, 1).expand(-1, -1, query.shape[2], -1)
    return mean.transpose(1, 2).contiguous(), None


def mask(*args: Any, **kwargs: Any) -> Tensor | None:
    """What the mask interface calls: the library's additive mask, whose corner says which rule made it."""
    from transformers.masking_utils import eager_mask

    names = list(inspect.signature(eager_mask).parameters)
    kwargs = {**dict(zip(names, args, strict=False)), **kwargs}
    # A text shorter than the window would get no mask at all.
    kwargs["allow_is_bidirectional_skip"] = False
    made = eager_mask(**kwargs)
    watch = WATCHING.get()
    if watch is None or made is None:
        return made
    code = len(watch.current.masks) + 1
    watch.current.masks[code] = kwargs.get("mask_function")  # type: ignore[assignment]
    made = made.clone()
    made[..., 0, 0] = made[..., 0, 0] + code * 2.0**-30
    return made


def _code(mask: Tensor) -> int | None:
    corner = float(mask[0, 0, 0, 0]) * 2.0**30
    return int(corner) if 0 < corner < 2**10 and corner == math.floor(corner) else None


def _is_bias(each: Any, q: Tensor, k: Tensor) -> bool:
    return (
        isinstance(each, Tensor)
        and each.ndim == 4
        and each.shape[-1] == k.shape[2]
        and each.shape[-2] in (1, q.shape[2])
        and each.shape[1] in (1, q.shape[1])
    )


def register() -> None:
    """Make the name known to both interfaces; doing it again changes nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, mask)
