"""Which positional encoding a live transformers model really has, layer by layer: its config is never read.

A copy of the model is fed one constant token, and its attention constant vectors, so that everything that
changes along the sequence is position. See ``watch`` for how queries, keys and biases are caught, and
``rotation``, ``bias`` and ``tables`` for what is read from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clockhands.check.form import LayerForm
from clockhands.errors import ClockhandsError

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True)
class Measured:
    """Forms of the layers, and what was found besides, by name (``length_dependent``,
    ``ignores_position_ids``)."""

    layers: tuple[LayerForm, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


def measure(model: nn.Module) -> tuple[LayerForm, ...]:
    """What each layer of a model does with position, measured; the model stays as it is.

    Raises ``ClockhandsError`` where the model can't be run on text alone.
    """
    return examine(model).layers


def examine(model: nn.Module) -> Measured:
    """The same, with what was found besides."""
    import torch

    from clockhands.check.probe.hf.copy import quiet

    with quiet():
        found = _stacks(model, torch.float64)
        if not found.layers:
            found = _stacks(model, torch.float32)
    if not found.layers:
        name = type(model).__name__
        raise ClockhandsError(
            f"{name} could not be run on text alone ({found.facts.get('error', 'no layers ran')}), so "
            "nothing "
            "was measured: give the part of it that reads text",
            f"{name} 无法只用文本运行（{found.facts.get('error', '没有任何层运行')}），因此什么也没有测到："
            "请给出其中读取文本的部分",
        )
    return found


def _stacks(model: nn.Module, dtype: torch.dtype) -> Measured:
    """All stacks, run in one dtype; none, and why, where the model's code raises."""
    from clockhands.check.probe.hf.copy import own_copy
    from clockhands.check.probe.hf.refusal import Refusal
    from clockhands.check.probe.hf.run import measured_stacks

    try:
        return measured_stacks(own_copy(model, dtype))
    except Refusal as refusal:
        return Measured((), {"error": str(refusal)})
