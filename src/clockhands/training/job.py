"""What the loop needs to know of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from clockhands.training.history import LOSS


class Job(ABC):
    """Something to train. All that is random in a step hangs on the seed and the step alone.

    model      what is trained; optimizer: Adam over its parameters, at the full learning rate
    steps      in all; steps_per_epoch: of one time over the text
    clip       largest norm of the gradient, None for no limit
    measured   names of the numbers that each step gives: the loss, and those beside it
    seconds    that its steps took so far, whichever process took them
    """

    model: nn.Module
    optimizer: torch.optim.Optimizer
    seed: int
    device: torch.device
    steps: int
    steps_per_epoch: int
    seconds: float = 0.0
    clip: ClassVar[float | None] = None
    measured: ClassVar[tuple[str, ...]] = (LOSS,)

    @abstractmethod
    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        """The loss of a step, and numbers to remember beside it; torch draws from a stream of the step."""

    def after_backward(self) -> None:  # noqa: B027 (most have nothing to do then)
        """Called when gradients are there, before they are clipped and used."""

    @abstractmethod
    def rate(self, step: int) -> float:
        """Factor of the learning rate at a step."""

    def held_out(self) -> float | None:
        """Loss on text that is not trained on; None if there is none."""
        return None
