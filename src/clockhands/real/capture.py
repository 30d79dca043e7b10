"""Attention of a transformers model watched at its interface: queries, keys, masks and biases by layer.

A function of our own stands in for the model's attention while it is watched. It computes the same outputs in
tiles, so that neither it nor the model holds a map; then everything is as before. BLOOM has no such
interface, and T5 makes its bias as a map: both get a function for that time which does without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from clockhands.analysis.attention_call import Call
from clockhands.check.probe.hf.copy import configs_of
from clockhands.real.capture_masks import (
    Distances,
    Everything,
    Mask,
    OneAdds,
    OneSees,
    Rule,
    mask_of,
    rule,
    tile_of,
    whole,
)

NAME, DENSE_NAME = "clockhands-trace", "clockhands-trace-dense"
"""What the library's interfaces know the watching functions as; the second with masks that are whole."""

CELLS = 2**24
"""Scores that are made at a time, of all texts and heads together: 64 MB."""

CROSS = re.compile(r"cross|encdec|encoder_attn|enc_attn", re.IGNORECASE)


@dataclass
class Watch:
    """What is to be kept, and what was.

    layers, heads, queries  to keep; None: all
    calls                   one list a text
    """

    names: dict[nn.Module, str]
    layers: Collection[int] | None
    heads: Collection[int] | None
    queries: np.ndarray | None
    last: int | None
    calls: list[list[Call]] = field(default_factory=list)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    most_heads: int = 0
    rotations: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)


class Enough(Exception):
    """Raised through the model once all that is to be kept was seen."""


WATCHING: ContextVar[Watch | None] = ContextVar("clockhands_trace", default=None)


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any = None, *args: Any,
    scaling: float | None = None, **kwargs: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """Heads ``(b, h, t, hd)``, keys and values ``(b, hk, tk, hd)`` -> ``(b, t, h, hd)``."""
    watch = WATCHING.get()
    causal = bool(
        kwargs.get("is_causal") if kwargs.get("is_causal") is not None else getattr(module, "is_causal", True)
    )
    mask = mask_of(attention_mask, query.shape[2], key.shape[2], causal)
    parts = [kwargs.get("position_bias"), getattr(mask, "added", None)]
    call = Asked(
        query, key, value, mask, query.shape[-1] ** -0.5 if scaling is None else float(scaling),
        tuple(each for each in parts if each is not None), kwargs.get("softcap"), kwargs.get("s_aux"),
    )  # fmt: skip
    if watch is not None and _kept(watch, module, call):
        raise Enough
    return output_of(call).transpose(1, 2).contiguous(), None


@dataclass(frozen=True)
class Asked:
    """One call of attention, of all texts.

    sinks  ``(h,)`` logits of a key that is not there, which takes its share of every row
    """

    q: Tensor
    k: Tensor
    v: Tensor
    mask: Mask
    scale: float
    parts: tuple[Tensor | Distances, ...]
    softcap: float | None
    sinks: Tensor | None

    def tiles(self) -> list[tuple[int, int]]:
        b, h, t, _ = self.q.shape
        step = max(1, CELLS // (b * h * self.k.shape[2]))
        return [(first, min(first + step, t)) for first in range(0, t, step)]

    def scores(self, first: int, last: int, heads: Tensor | None = None) -> Tensor:
        """``(b, h, last - first, keys)`` float32, -inf where hidden; of some heads where they are given."""
        groups = self.q.shape[1] // self.k.shape[1]
        chosen = torch.arange(self.q.shape[1]) if heads is None else heads
        q, k = self.q[:, chosen, first:last].float(), self.k[:, chosen // groups].float()
        made = (q @ k.transpose(-1, -2)) * self.scale
        if self.softcap is not None:
            made = self.softcap * torch.tanh(made / self.softcap)
        for each in self.parts:
            part = tile_of(each, first, last)
            made = made + (part if part.shape[1] == 1 else part[:, chosen])
        return made.masked_fill(~self.mask.tile(first, last).to(made.device), -torch.inf)


def output_of(asked: Asked) -> Tensor:
    """``(b, h, t, hd)``; zeros for a query that sees nothing."""
    plain = not asked.parts and asked.softcap is None and asked.sinks is None
    if plain and isinstance(asked.mask, Everything | Rule) and _is_causal(asked.mask):
        return nn.functional.scaled_dot_product_attention(
            asked.q, asked.k, asked.v, is_causal=True, scale=asked.scale,
            enable_gqa=asked.q.shape[1] != asked.k.shape[1],
        )  # fmt: skip
    groups = asked.q.shape[1] // asked.k.shape[1]
    values = asked.v.repeat_interleave(groups, 1) if groups > 1 else asked.v
    out = []
    for first, last in asked.tiles():
        scores = asked.scores(first, last)
        sums = _sums(scores, asked.sinks)
        weights = torch.exp(scores - sums.clamp_min(torch.finfo(sums.dtype).min)[..., None])
        out.append(weights.to(values.dtype) @ values)
    return torch.cat(out, dim=2)


def _is_causal(mask: Everything | Rule) -> bool:
    """Whether each query sees what is up to its own place and nothing else is said: no window, no padding."""
    from transformers.masking_utils import causal_mask_function

    if isinstance(mask, Everything):
        return mask.causal and mask.queries == mask.keys
    asked = mask.asked
    padding = asked.get("attention_mask")
    return (
        asked.get("mask_function") is causal_mask_function
        and asked["q_length"] == asked["kv_length"]
        and (padding is None or bool(padding.all()))
    )


def _sums(scores: Tensor, sinks: Tensor | None) -> Tensor:
    """``(b, h, rows)`` log of the sums of exponentials."""
    sums = torch.logsumexp(scores, dim=-1)
    return sums if sinks is None else torch.logaddexp(sums, sinks.float().reshape(1, -1, 1))


def _kept(watch: Watch, module: nn.Module, asked: Asked) -> bool:
    """Keep what is wanted of this call; True where it was the last that is wanted."""
    name = watch.names.get(module, "")
    kind: Literal["self", "cross"] = "cross" if CROSS.search(name) else "self"
    stack = next((part for part in name.split(".") if part in ("encoder", "decoder")), "")
    layer = watch.counts.get((stack, kind), 0)
    watch.counts[stack, kind] = layer + 1
    watch.most_heads = max(watch.most_heads, asked.q.shape[1])
    if watch.layers is not None and layer not in watch.layers:
        return False
    h, t = asked.q.shape[1:3]
    heads = [head for head in (range(h) if watch.heads is None else watch.heads) if head < h]
    queries = np.arange(t) if watch.queries is None else watch.queries[watch.queries < t]
    if heads and len(queries):
        _keep(watch, asked, layer, stack, kind, heads, queries)
    return layer == watch.last


def _keep(
    watch: Watch, asked: Asked, layer: int, stack: str, kind: Any, heads: list[int], queries: np.ndarray
) -> None:
    chosen, groups = torch.tensor(heads), asked.q.shape[1] // asked.k.shape[1]
    kv = sorted({head // groups for head in heads})
    rows = torch.from_numpy(queries)
    lse = torch.cat(
        [_lse(asked, chosen, first, last) for first, last in _tiles_of(asked, len(heads), queries)], 2
    )
    for text in range(asked.q.shape[0]):
        if len(watch.calls) <= text:
            watch.calls.append([])
        watch.calls[text].append(
            Call(
                layer=layer,
                stack=stack,
                kind=kind,
                heads=tuple(heads),
                of=asked.q.shape[1],
                count=asked.q.shape[2],
                queries=queries,
                q=_array(asked.q[text, chosen][:, rows]),
                k=_array(asked.k[text, kv]),
                shared=tuple(kv.index(head // groups) for head in heads),
                lse=_array(lse[text]),
                scale=asked.scale,
                sees=OneSees(asked.mask, text),
                adds=OneAdds(asked.parts, text) if asked.parts else None,
                softcap=asked.softcap,
            )
        )


def _tiles_of(asked: Asked, heads: int, queries: np.ndarray) -> list[tuple[int, int]]:
    from clockhands.real.capture_masks import runs

    step = max(1, CELLS // (asked.q.shape[0] * heads * asked.k.shape[2]))
    return [
        (start, min(start + step, last))
        for first, last in runs(queries)
        for start in range(first, last, step)
    ]


def _lse(asked: Asked, heads: Tensor, first: int, last: int) -> Tensor:
    sinks = None if asked.sinks is None else asked.sinks[heads]
    return _sums(asked.scores(first, last, heads), sinks)


def _array(each: Tensor) -> np.ndarray:
    return each.detach().float().cpu().numpy()


def register() -> None:
    """Make the names known to both interfaces; doing it again changes nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface

    for name, mask in ((NAME, rule), (DENSE_NAME, whole)):
        AttentionInterface.register(name, attention)
        AttentionMaskInterface.register(name, mask)


@contextmanager
def watched(model: nn.Module, watch: Watch, *, dense: bool = False) -> Generator[None]:
    """The model with our attention in it; everything is put back afterwards, whatever happens."""
    register()
    configs = configs_of(model)
    was = [config._attn_implementation for config in configs]
    training = [module for module in model.modules() if module.training]
    ours = {module: function for module in model.modules() for function in _ours(module)}
    token = WATCHING.set(watch)
    try:
        for config in configs:
            config._attn_implementation = DENSE_NAME if dense else NAME
        for module, (name, function) in ours.items():
            setattr(module, name, function)
        model.eval()
        with torch.no_grad():
            yield
    finally:
        WATCHING.reset(token)
        for module, (name, _) in ours.items():
            delattr(module, name)  # the method of its class shows again
        for module in training:
            module.training = True
        for config, name in zip(configs, was, strict=True):
            config._attn_implementation = name


def _ours(module: nn.Module) -> list[tuple[str, Callable[..., Any]]]:
    """Functions that stand in for methods of this module, by name."""
    if type(module).__name__ == "BloomAttention":
        return [("forward", _bloom(module))]
    if getattr(module, "has_relative_attention_bias", False) and hasattr(module, "compute_bias"):
        return [("compute_bias", _by_distance(module))]
    return []


def _by_distance(module: Any) -> Callable[..., Any]:
    made = type(module).compute_bias

    def compute_bias(
        query_length: int, key_length: int, device: Any = None, past_seen_tokens: int = 0
    ) -> Distances:
        """T5's bias from its first and last row, which hold all distances."""
        first = made(module, 1, key_length, device=device)[0, :, 0]
        last = made(module, 1, key_length, device=device, past_seen_tokens=query_length - 1)[0, :, 0]
        ahead, behind = (
            first.flip(-1),
            last.flip(-1)[:, -(query_length - 1) :] if query_length > 1 else last[:, :0],
        )
        return Distances(torch.cat((ahead, behind), -1), query_length, key_length)

    return compute_bias


def _bloom(module: Any) -> Callable[..., Any]:
    """What ``BloomAttention`` computes, in tiles; its ALiBi is a number for each key."""

    def forward(
        hidden_states: Tensor, residual: Tensor, alibi: Tensor, attention_mask: Any, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, None]:
        q, k, v = module._reshape(module.query_key_value(hidden_states))
        bias = alibi.reshape(len(q), module.num_heads, 1, -1)
        out, _ = attention(
            module, q, k, v, attention_mask, scaling=module.inv_norm_factor, position_bias=bias
        )
        mixed = module.dense(out.flatten(2))
        return residual + mixed, None

    return forward
