"""Rotation whose speeds are learned, each as a factor of what it was."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.lerope import LeRoPE
from clockhands.core.encoding import Table
from clockhands.core.fixed import widest_float
from clockhands.schemes.turning import TurningHands, cos_and_sin


@final
class LearnedRotation(TurningHands):
    """Turns pair i by ``position * inv_freq[i] * exp(alpha[i])``.

    ``alpha`` is ``(pairs,)``, a parameter that starts at 0: plain RoPE. ``inv_freq`` is fixed, rad / token.
    """

    def __init__(self, description: LeRoPE):
        super().__init__(description)
        self.alpha = nn.Parameter(torch.zeros(len(self.inv_freq)))

    def table(self, places: Tensor) -> Table:
        speeds = self.inv_freq * self.alpha.to(widest_float(places.device)).exp()
        return cos_and_sin(formulas.angles(places, speeds))
