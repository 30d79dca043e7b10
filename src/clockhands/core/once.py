"""What the layers of one forward would compute alike: the first of them makes it, the others find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from clockhands.core.bias import Biased, dense_bias, hidden
from clockhands.core.context import Context

Mode = tuple[bool, bool, torch.dtype | None]


class Once:
    """Kept beside the table of an encoding, by what ``enter`` returns for its layers.

    Biases are kept on a CPU, of encodings without trained numbers: those may change as long as somebody has
    what ``enter`` returned, and a gradient may go to them. In a compiled graph and within the transforms of
    ``torch.func`` nothing is kept or found.
    """

    def __init__(self) -> None:
        self._bias: tuple[Biased, Mode, Context, Tensor] | None = None
        self._made: dict[str, tuple[object, Mode, object, Any]] = {}

    def bias(self, encoding: Biased, ctx: Context) -> Tensor | None:
        """``dense_bias``; no other layer's if that was told anything else."""
        mode = _mode()
        if mode is None or ctx.memory is not None or not _plain(ctx.k_places) or _trained(encoding):
            return dense_bias(encoding, ctx)
        kept = self._bias
        if kept is not None and encoding is kept[0] and mode == kept[1] and _alike(ctx, kept[2]):
            return kept[3]
        bias = dense_bias(encoding, ctx)
        if bias is not None and not bias.requires_grad:
            self._bias = encoding, mode, replace(ctx, prepared=None), bias
        return bias

    def masked(self, bias: Tensor | None, ctx: Context) -> Tensor:
        """``bias`` with -inf where a query may not look, or the mask itself, where rules read slots only."""
        if bias is not None and (self._bias is None or bias is not self._bias[3]):
            return hidden(bias, ctx.mask)
        sees, slots = ctx.visibility, (ctx.num_queries, ctx.num_keys, ctx.first, ctx.device)
        return self.of("masked", bias, (sees.causal, sees.window, slots), lambda: hidden(bias, ctx.mask))

    def of(self, name: str, given: object, kind: object, make: Callable[[], Any]) -> Any:
        """What ``make`` makes of ``given``, the same object as before, for an equal ``kind`` of use."""
        mode = _mode()
        if mode is None:
            return make()
        kept = self._made.get(name)
        if kept is not None and kept[0] is given and kept[1:3] == (mode, kind):
            return kept[3]
        made = make()
        self._made[name] = given, mode, kind, made
        return made


def _mode() -> Mode | None:
    """What decides how torch computes, None where what is made belongs to a graph or a transform.

    A layer whose gradient is wanted must not find what one without has made, nor one in full precision what
    autocast has rounded.
    """
    traced = torch.compiler.is_compiling() or torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage]
    if traced or torch._C._are_functorch_transforms_active():  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage] (as torch.autograd asks)
        return None
    rounded = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled(), rounded


def _trained(encoding: Biased) -> bool:
    return next(encoding.parameters(), None) is not None


def _plain(places: Tensor) -> bool:
    """Whether they can be compared without waiting for a device, and have numbers at all."""
    return type(places) is Tensor and places.device.type == "cpu"


def _alike(one: Context, other: Context) -> bool:
    """Whether ``bias_at`` is told the same by both."""
    numbers = all(
        getattr(one, name) == getattr(other, name)
        for name in ("scale", "num_heads", "num_kv_heads", "dtype", "first")
    )
    sees, saw = one.visibility, other.visibility
    return (
        numbers and (sees.causal, sees.window) == (saw.causal, saw.window) and sees.allowed is saw.allowed
        and _equal(one.q_places, other.q_places) and _equal(one.k_places, other.k_places)
        and _equal(sees.valid, saw.valid) and _equal(sees.documents, saw.documents)
    )  # fmt: skip


def _equal(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None or one.dtype != other.dtype or one.device != other.device:
        return one is other
    return torch.equal(one, other)
