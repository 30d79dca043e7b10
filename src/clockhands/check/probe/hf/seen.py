"""What one forward pass showed: its layers, and each call of attention in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn


@dataclass
class Layer:
    """One call of an element of a list of modules that is not within another such call."""

    path: str
    entered: Tensor | None = None
    left: Tensor | None = None
    attended: list[Seen] = field(default_factory=list)


@dataclass
class Seen:
    """One call of attention.

    q, k     ``(b, h, t, hd)``, ``(b, hk, tk, hd)`` after position was applied
    scaling  that the scores are multiplied by, None where the code was not told (see ``logits``)
    bias     added to the scores, ``(b or 1, h or 1, t, tk)``: masks and biases together
    logits   ``(b, h, t, tk)`` what the softmax was given, where that was seen
    inner    outputs of the modules within, in the order in which they ran
    """

    module: nn.Module
    q: Tensor | None
    k: Tensor | None
    scaling: float | None = None
    bias: Tensor | None = None
    logits: Tensor | None = None
    inner: tuple[Tensor, ...] = ()
    mask_code: int | None = None
    products: int = 0


@dataclass
class Run:
    """What one forward pass showed."""

    layers: list[Layer] = field(default_factory=list)
    masks: dict[int, Callable[..., Any]] = field(default_factory=dict)
