"""Learnable Fourier features, added to the tokens."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.fourier import Fourier
from clockhands.core.fixed import widest_float
from clockhands.schemes.adding import added
from clockhands.schemes.described import Described


@final
class FourierTable(Described):
    """Trained speeds ``(pairs,)`` in rad / token and the two layers that read them. Li et al. 2021.

    Angles are computed in the widest float, so that far positions stay exact whatever the parameters' dtype.
    """

    def __init__(self, description: Fourier):
        super().__init__(description)
        kind = torch.get_default_dtype()
        parts = (nn.Parameter(torch.tensor(part, dtype=kind)) for part in description.weights())
        self.frequencies, self.hidden, self.hidden_bias, self.output, self.bias = parts

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        parts = (self.frequencies, self.hidden, self.hidden_bias, self.output, self.bias)
        wide = (part.to(widest_float(places.device)) for part in parts)
        return added(x, formulas.fourier_table(places, *wide))
