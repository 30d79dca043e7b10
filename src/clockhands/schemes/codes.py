"""Codes of whole positions, added to the tokens."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands.catalogue.digits import Digits
from clockhands.catalogue.one_hot import OneHot
from clockhands.catalogue.rules import position_outside
from clockhands.schemes.adding import added
from clockhands.schemes.described import Described


@final
class CodeTable(Described):
    """Adds the description's code, zeros and ones, to the tokens.

    Raises ClockhandsError for a position that the code does not have. Inside a compiled graph, which can't
    read the values, one-hot adds nothing there, and the digits begin anew.
    """

    def __init__(self, description: OneHot | Digits):
        super().__init__(description)
        self.coded = description

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        last = self.traits.max_position
        if last is not None and not torch.compiler.is_compiling() and places.device.type != "meta":
            outside = places[(places < 0) | (places >= last)]
            if outside.numel():
                raise position_outside(int(outside[0]), last)
        return added(x, self.coded.code(places))
