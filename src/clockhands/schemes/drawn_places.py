"""Sinusoids at places that are drawn while training.

In ``train()`` each text draws its own places, from the ``generator`` given or else from torch's own; where
neither positions nor tokens have a row for each text, all share one. In
``eval()`` nothing is drawn, generator or not, so that a text always reads the same and a cache can be used.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Generator, Tensor

from clockhands import formulas
from clockhands.catalogue.drawn_places import DrawnPlaces
from clockhands.catalogue.randomised import Randomised
from clockhands.core.fixed import widest_float
from clockhands.schemes.adding import added
from clockhands.schemes.described import Described


class SinusoidAnywhere(Described):
    """Sines and cosines at whatever places ``place`` returns, whole or real, added to the tokens."""

    inv_freq: Tensor

    def __init__(self, description: DrawnPlaces):
        super().__init__(description)
        self.width = description.d_model
        self.fix("inv_freq", description.inv_freq())

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return added(x, formulas.sinusoid(places, self.inv_freq, width=self.width))


def uniform(like: Tensor, shape: tuple[int, ...], generator: Generator | None) -> Tensor:
    """U(0, 1) on the generator's device, moved to where ``like`` is, in its widest float."""
    device = like.device if generator is None else generator.device
    drawn = torch.rand(shape, generator=generator, device=device, dtype=widest_float(device))
    return drawn.to(like.device, widest_float(like.device))


class DrawnSinusoid(SinusoidAnywhere):
    """Places of the description's, from one row of numbers for each text, while it is trained."""

    description: DrawnPlaces
    always = False

    def place(self, positions: Tensor, tokens: Tensor | None, generator: Generator | None) -> Tensor:
        if not (self.training or self.always) or positions.numel() == 0:
            return positions
        return self.description.moved(positions, self.drawn(positions, rows_of(positions, tokens), generator))

    def drawn(self, positions: Tensor, rows: int, generator: Generator | None) -> Tensor:
        """U(0, 1), ``(rows, count)``: as many as the description takes."""
        return uniform(positions, (rows, 1), generator)


@final
class ShiftedPlaces(DrawnSinusoid):
    """SHAPE: one shift of 0 ... max_shift for each text while training.

    Kiyono et al. 2021 (arXiv 2109.05644).
    """


@final
class SampledPlaces(DrawnSinusoid):
    """Randomised positions: a sorted sample for each text. Ruoss et al. 2023 (arXiv 2305.16843).

    Position p takes the p-th smallest of the sample, which has as many members as the largest position needs.
    """

    def __init__(self, description: Randomised):
        super().__init__(description)
        self.reach = description.max_length
        self.always = description.at_test == "random"

    def drawn(self, positions: Tensor, rows: int, generator: Generator | None) -> Tensor:
        return uniform(positions, (rows, self.reach), generator)


@final
class AugmentedPlaces(DrawnSinusoid):
    """CAPE: shift, jitter and scale while training. Likhomanenko et al. 2021 (arXiv 2106.03143).

    Places are then real numbers, in the widest float of the device.
    """

    def drawn(self, positions: Tensor, rows: int, generator: Generator | None) -> Tensor:
        counts = (1, positions.shape[1], 1)
        return torch.cat([uniform(positions, (rows, count), generator) for count in counts], dim=1)


def rows_of(positions: Tensor, tokens: Tensor | None) -> int:
    """Rows of the batch: positions may be one row for all, and then the tokens say how many there are."""
    return positions.shape[0] if tokens is None else tokens.shape[0]
