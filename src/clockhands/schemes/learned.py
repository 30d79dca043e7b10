"""A learned table of positions, added to the tokens."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands.catalogue.learned import Learned
from clockhands.schemes.adding import added, row_of
from clockhands.schemes.described import Described


@final
class LearnedTable(Described):
    """One row of parameters for each position. Gehring et al. 2017 (arXiv 1705.03122).

    ``rows`` is ``(offset + max_positions, d_model)``, as checkpoints have it, and starts with the numbers of
    the description: N(0, 0.02) drawn with its ``seed``, or a trained table. Raises ClockhandsError for a
    position past the last row.
    """

    def __init__(self, description: Learned):
        super().__init__(description)
        self.first = description.first_row
        self.rows = nn.Parameter(torch.tensor(description.weights(), dtype=torch.get_default_dtype()))

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return added(x, row_of(self.rows[self.first :], places))
