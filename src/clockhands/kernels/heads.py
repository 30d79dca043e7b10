"""What the kernels that turn heads share: their work, the readable twin, and which of them a device has."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.formulas.layouts import Layout
from clockhands.language import Text

NEEDED = {"cpu": "numba", "cuda": "triton"}
"""The package that a device's kernel is written in."""
INSTALLED = frozenset(device for device, package in NEEDED.items() if find_spec(package) is not None)


class Turn(NamedTuple):
    """Heads ``(b, h, t, hd)`` and where they go turned: a tensor of that shape and dtype, or the same."""

    x: Tensor
    out: Tensor


class Kernel(Protocol):
    """A module that turns heads on one device."""

    def refusal(self, turns: Sequence[Turn], layout: Layout) -> Text | None:
        """Why it can't do it, None if it can."""
        ...

    def turn(self, turns: Sequence[Turn], cos: Tensor, sin: Tensor, layout: Layout, start: int) -> None:
        """Turn dimensions ``start`` to ``start + 2 * pairs`` of each head; the others are carried over.

        cos, sin  ``(b or 1, t, pairs)``, float64 for float64 heads and else float32
        """
        ...


def kernel_for(device: str) -> Kernel | None:
    """The kernel of a device, imported when it is first needed; None where its package is missing."""
    if device not in INSTALLED:
        return None
    if device == "cpu":
        from clockhands.kernels import on_cpu

        return on_cpu
    from clockhands.kernels import on_gpu

    return on_gpu


def readable(x: Tensor, cos: Tensor, sin: Tensor, layout: Layout, start: int) -> Tensor:
    """The same by the readable formula: what kernels are compared with, and what computes without them."""
    rotated = formulas.rotate(x[..., start:], cos[:, None], sin[:, None], layout)
    return torch.cat((x[..., :start], rotated), dim=-1) if start else rotated
