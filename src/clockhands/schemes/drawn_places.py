"""Sinusoids at places that are drawn while training.

In ``train()`` each text draws its own places, from the ``generator`` given or else from torch's own; where
neither positions nor tokens have a row for each text, all share one. In
``eval()`` nothing is drawn, generator or not, so that a text always reads the same and a cache can be used.
"""

from __future__ import annotations

import math
from typing import final

import torch
from torch import Generator, Tensor

from clockhands import formulas
from clockhands.catalogue.cape import CAPE
from clockhands.catalogue.drawn_places import DrawnPlaces
from clockhands.catalogue.randomised import Randomised
from clockhands.catalogue.shape import Shape
from clockhands.core.fixed import widest_float
from clockhands.errors import ClockhandsError
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


@final
class ShiftedPlaces(SinusoidAnywhere):
    """SHAPE: one shift of 0 ... max_shift for each text while training.

    Kiyono et al. 2021 (arXiv 2109.05644).
    """

    def __init__(self, description: Shape):
        super().__init__(description)
        self.choices = description.max_shift + 1

    def place(self, positions: Tensor, tokens: Tensor | None, generator: Generator | None) -> Tensor:
        if not self.training:
            return positions
        drawn = uniform(positions, (rows_of(positions, tokens), 1), generator)
        return positions + (drawn * self.choices).long().clamp(max=self.choices - 1)


@final
class SampledPlaces(SinusoidAnywhere):
    """Randomised positions: a sorted sample for each text. Ruoss et al. 2023 (arXiv 2305.16843).

    Position p takes the p-th smallest of the sample, which has as many members as the largest position needs.
    """

    def __init__(self, description: Randomised):
        super().__init__(description)
        self.reach = description.max_length
        self.always = description.at_test == "random"

    def place(self, positions: Tensor, tokens: Tensor | None, generator: Generator | None) -> Tensor:
        if not (self.training or self.always) or positions.numel() == 0:
            return positions
        count = int(positions.max()) + 1
        if count > self.reach or int(positions.min()) < 0:
            raise ClockhandsError(
                f"position {count - 1} needs a sample of {count}, but max_length is {self.reach}: "
                "use fewer positions, from 0, or a larger max_length",
                f"位置 {count - 1} 需要抽出 {count} 个数，而 max_length 是 {self.reach}："
                "请减少位置数（从 0 开始），或加大 max_length",
            )
        keys = uniform(positions, (rows_of(positions, tokens), self.reach), generator)
        sample = keys.topk(count, dim=-1).indices.sort(dim=-1).values
        return sample.gather(1, positions.expand(len(sample), -1))


@final
class AugmentedPlaces(SinusoidAnywhere):
    """CAPE: shift, jitter and scale while training. Likhomanenko et al. 2021 (arXiv 2106.03143).

    Places are then real numbers, in the widest float of the device.
    """

    def __init__(self, description: CAPE):
        super().__init__(description)
        self.shift, self.jitter = description.max_global_shift, description.max_local_shift
        self.stretch = math.log(description.max_global_scaling)

    def place(self, positions: Tensor, tokens: Tensor | None, generator: Generator | None) -> Tensor:
        if not self.training:
            return positions
        rows, length = rows_of(positions, tokens), positions.shape[1]
        shift, jitter, scale = (
            2 * uniform(positions, (rows, count), generator) - 1 for count in (1, length, 1)
        )
        return (positions + shift * self.shift + jitter * self.jitter) * (scale * self.stretch).exp()


def rows_of(positions: Tensor, tokens: Tensor | None) -> int:
    """Rows of the batch: positions may be one row for all, and then the tokens say how many there are."""
    return positions.shape[0] if tokens is None else tokens.shape[0]
