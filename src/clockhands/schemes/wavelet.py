"""Wavelet vectors of distances on keys."""

from __future__ import annotations

from typing import final

import numpy as np
from torch import Tensor

from clockhands.catalogue.wavelet import Wavelet
from clockhands.core.context import Context
from clockhands.schemes.described import Described
from clockhands.schemes.relative import distances, picked, require_width


@final
class WaveletVectors(Described):
    """``q . (k + p(distance))``, p a fixed wave in each dimension. Oka et al. 2025 (arXiv 2502.02004).

    ``vectors`` is a fixed tensor ``(2 * reach + 1, head_dim)``, one row for each distance from -reach to
    reach; beyond, all waves are too small for float64. Nothing is learned.
    """

    vectors: Tensor

    def __init__(self, description: Wavelet):
        super().__init__(description)
        self.reach = description.reach
        vectors = description.vectors(np.arange(-self.reach, self.reach + 1))
        vectors[[0, -1]] = 0.0  # what stands for all beyond
        self.fix("vectors", vectors)

    def logits(self, q: Tensor, k: Tensor, ctx: Context) -> Tensor:
        require_width(self.vectors.shape[1], q)
        rows = distances(ctx).clamp(-self.reach, self.reach) + self.reach
        return super().logits(q, k, ctx) + picked(q.to(ctx.dtype) * ctx.scale, self.vectors, rows)
