"""Learned rows for places that a text gives, moved on by a random offset while training."""

from __future__ import annotations

from typing import final

import torch
from torch import Generator, Tensor, nn

from clockhands.catalogue.abacus import Abacus
from clockhands.catalogue.position_coupling import PositionCoupling
from clockhands.schemes.adding import added, row_of
from clockhands.schemes.described import Described
from clockhands.schemes.drawn_places import rows_of, uniform


@final
class OffsetRows(Described):
    """One row of parameters for each place. McLeish et al. 2024 (2405.17399), Cho et al. 2024 (2405.20671).

    In ``train()`` places other than 0 move on by an offset of each text, from the ``generator`` given or
    torch's own, never past the last row; in ``eval()`` places stay as given, generator or not. ``rows`` is
    ``(max_positions, d_model)``.
    """

    def __init__(self, description: Abacus | PositionCoupling):
        super().__init__(description)
        self.coupled = description
        self.rows = nn.Parameter(torch.tensor(description.weights(), dtype=torch.get_default_dtype()))

    def place(self, positions: Tensor, tokens: Tensor | None, generator: Generator | None) -> Tensor:
        if not self.training or positions.numel() == 0:
            return positions
        return self.coupled.moved(positions, uniform(positions, (rows_of(positions, tokens), 1), generator))

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return added(x, row_of(self.rows, places))
