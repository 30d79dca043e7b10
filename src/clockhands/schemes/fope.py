"""Rotation whose cosines and sines are sums of several waves."""

from __future__ import annotations

from typing import ClassVar, final

from torch import Tensor
from torch.nn import functional

from clockhands import formulas
from clockhands.catalogue.fope import FoPE
from clockhands.core.encoding import Table
from clockhands.schemes.turning import TurningHands, cos_and_sin


@final
class FourierRotation(TurningHands):
    """Pair i is "turned" by ``sum_j A[j, i] cos(p w_j)`` and ``sum_j B[j, i] sin(p w_j)``. arXiv 2412.17739.

    ``coefficients`` is a fixed tensor ``(2, waves, waves)``, A and B. Pairs whose wave is longer than the
    trained length stand still: their cosine is 1 and their sine 0.
    """

    exceptions: ClassVar[dict[str, str]] = {"isometry": "a sum of waves is no rotation: lengths change"}
    coefficients: Tensor

    def __init__(self, description: FoPE):
        super().__init__(description)
        self.pairs = description.head_dim // 2
        self.fix("coefficients", description.coefficients())

    def table(self, places: Tensor) -> Table:
        moving = self.inv_freq[: self.coefficients.shape[-1]]
        waves = cos_and_sin(formulas.angles(places, moving))
        cos, sin = (
            formulas.summed_waves(each, part) for each, part in zip(waves, self.coefficients, strict=True)
        )
        still = (0, self.pairs - cos.shape[-1])
        return functional.pad(cos, still, value=1.0), functional.pad(sin, still)
