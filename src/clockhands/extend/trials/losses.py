"""Loss at each position of a window, with logits for a few positions at a time."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from clockhands.errors import ClockhandsError

NUMBERS = 2**24
"""Logits held at a time: 64 MB in float32."""


@dataclass(frozen=True)
class Read:
    """What a model makes of a window.

    losses  ``(asked,)`` float64, nats, of the last tokens that were asked for
    right   ``(asked,)`` bool: its first guess was the token
    """

    losses: Tensor
    right: Tensor


class _Given(nn.Module):
    """Stands for the body of a model and says hidden states that it was told."""

    def __init__(self, output: Any):
        super().__init__()
        self.output = output

    def forward(self, *args: Any, **given: Any) -> Any:
        return self.output


@torch.inference_mode()
def read(model: PreTrainedModel, inputs: Tensor, targets: Tensor, *, last: int | None = None) -> Read:
    """Token ids ``(n,)`` and what follows each, ``(n,)``; ``last``: ask for the last so many only.

    The model's own head makes the logits, with all that it does to them, a part at a time. Raises
    ClockhandsError where a loss is no number.
    """
    device = next(model.parameters()).device
    body = getattr(model, model.base_model_prefix)
    output = body(input_ids=inputs[None].to(device), use_cache=False)
    states = output.last_hidden_state
    count = len(inputs) if last is None else last
    hidden, wanted = states[:, -count:], targets[-count:].to(device)
    step = max(1, NUMBERS // model.get_output_embeddings().weight.shape[0])  # type: ignore[union-attr]
    losses, right = [], []
    for start in range(0, count, step):
        part = slice(start, min(start + step, count))
        logits = _scored(model, hidden[:, part], type(output)).float()
        losses.append(functional.cross_entropy(logits, wanted[part], reduction="none").double().cpu())
        right.append((logits.argmax(-1) == wanted[part]).cpu())
    found = Read(torch.cat(losses), torch.cat(right))
    if not bool(torch.isfinite(found.losses).all()):
        raise ClockhandsError(
            "the loss is no number: weights, or numbers on the way, are not finite; try --dtype float32",
            "损失不是数：权重或中间结果出现了非有限的数；请试试 --dtype float32",
        )
    return found


def _scored(model: PreTrainedModel, hidden: Tensor, kind: type[Any]) -> Tensor:
    """``(1, t, d)`` -> logits ``(t, vocabulary)``, by a copy of the model that has no body."""
    head = copy.copy(model)
    head._modules = {**model._modules, model.base_model_prefix: _Given(kind(last_hidden_state=hidden))}
    ids = torch.zeros(hidden.shape[:2], dtype=torch.long, device=hidden.device)
    return head(input_ids=ids, use_cache=False).logits[0]
