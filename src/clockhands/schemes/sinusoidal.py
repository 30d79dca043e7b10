"""The sinusoidal table, added to the tokens or put beside them."""

from __future__ import annotations

from typing import final

from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.formulas.sinusoid import Arrangement, First
from clockhands.schemes.adding import added, beside
from clockhands.schemes.described import Described


@final
class SinusoidalTable(Described):
    """Sines and cosines of ``position * inv_freq``. Vaswani et al. 2017 (arXiv 1706.03762), section 3.5.

    Concatenated, the tokens get ``token_width(d_model)`` dimensions and the table the rest, so that the model
    keeps its size.

    >>> SinusoidalTable(Sinusoidal(d_model=8, combine="concatenate")).token_width(8)
    4
    """

    inv_freq: Tensor

    def __init__(self, description: Sinusoidal):
        super().__init__(description)
        self.arrangement: Arrangement = description.arrangement
        self.first: First = description.first
        self.width = description.width
        self.concatenates = description.combine == "concatenate"
        self.fix("inv_freq", description.inv_freq())

    def token_width(self, d_model: int) -> int:
        return d_model - self.width if self.concatenates else d_model

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        rows = formulas.sinusoid(places, self.inv_freq, self.arrangement, self.first, self.width)
        return beside(x, rows) if self.concatenates else added(x, rows)
