"""Rotation whose positions move by a different step for each kind of token."""

from __future__ import annotations

from dataclasses import replace
from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.card import Traits
from clockhands.catalogue.tagged import Tagged
from clockhands.core.encoding import Table
from clockhands.core.fixed import widest_float
from clockhands.schemes.turning import TurningHands, cos_and_sin


@final
class TaggedRotation(TurningHands):
    """Turns pair i by ``inv_freq[i] * sum over tags of sensitivity * count``.

    Positions are the running counts of ``clockhands.positions.tag_counts``, ``(b, t, num_tags)`` integers.
    With all sensitivities 1 it is exactly ``Rotation`` at the plain positions. Where they are learned,
    ``sensitivity`` is a parameter, else a fixed tensor; ``(num_tags,)``.
    """

    sensitivity: Tensor

    def __init__(self, description: Tagged):
        super().__init__(description)
        self.axes = len(description.tags)
        if description.learned:
            self.sensitivity = nn.Parameter(torch.tensor(description.steps))
        else:
            self.fix("sensitivity", description.steps)

    @property
    def traits(self) -> Traits:
        """The description reads tags; this module is given their counts as positions."""
        return replace(self.description.traits, reads="positions")

    def table(self, places: Tensor) -> Table:
        steps = self.sensitivity.to(widest_float(places.device))
        walked = formulas.tagged_positions(places, steps)
        return cos_and_sin(formulas.angles(walked, self.inv_freq))
