"""What the layers of one forward would compute alike: the first of them makes it, the others find it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from clockhands.core.bias import Biased, dense_bias
from clockhands.core.context import Context


class Once:
    """Kept from ``enter`` to the last ``attend`` of a forward, beside the table of the encoding.

    Parameters stay as they are meanwhile, as they do for the table. In a compiled graph nothing is kept.
    """

    def __init__(self) -> None:
        self._bias: tuple[Biased, Context, Tensor] | None = None
        self._made: dict[str, tuple[object, object, Any]] = {}

    def bias(self, encoding: Biased, ctx: Context) -> Tensor | None:
        """``dense_bias``. It is kept where it knows of places alone, and no gradient goes through it."""
        if self._bias is not None and encoding is self._bias[0] and _alike(ctx, self._bias[1]):
            return self._bias[2]
        bias = dense_bias(encoding, ctx)
        if bias is not None and not bias.requires_grad and ctx.memory is None and not _traced():
            self._bias = encoding, ctx, bias
        return bias

    def of(self, name: str, given: object, kind: object, make: Callable[[], Any]) -> Any:
        """What ``make`` makes of ``given``, the same object as before, for an equal ``kind`` of use."""
        found = self._made.get(name)
        if found is not None and found[0] is given and found[1] == kind:
            return found[2]
        made = make()
        if not _traced():
            self._made[name] = given, kind, made
        return made


def _alike(one: Context, other: Context) -> bool:
    """Whether ``bias_at`` is told the same by both."""
    numbers = all(
        getattr(one, name) == getattr(other, name)
        for name in ("scale", "num_heads", "num_kv_heads", "dtype", "first")
    )
    sees, saw = one.visibility, other.visibility
    marks = all(getattr(sees, name) is getattr(saw, name) for name in ("valid", "documents", "allowed"))
    return (
        numbers and marks and (sees.causal, sees.window) == (saw.causal, saw.window)
        and one.memory is None and not _traced()
        and _equal(one.q_places, other.q_places) and _equal(one.k_places, other.k_places)
    )  # fmt: skip


def _equal(one: Tensor, other: Tensor) -> bool:
    """Whether places are the same. Those of other devices are not read, which would wait for the device."""
    if one is other or one.dtype != other.dtype:
        return one is other
    return one.device.type == other.device.type == "cpu" and torch.equal(one, other)


def _traced() -> bool:
    return torch.compiler.is_compiling() or torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage]
