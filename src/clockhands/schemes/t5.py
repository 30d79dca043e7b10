"""T5's bias: a learned number for each bucket of distances and each head."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from clockhands import formulas
from clockhands.catalogue.t5 import T5
from clockhands.core.context import Context
from clockhands.schemes.biasing import distance_at, of_heads, require_heads
from clockhands.schemes.described import Described


@final
class BucketBias(Described):
    """Adds ``weights[bucket(distance), h]`` to the logits. Raffel et al. 2020 (arXiv 1910.10683).

    ``weights`` is ``(num_buckets, num_heads)``, logits, and starts with the description's numbers. Layers
    that share this module share the weights, as in T5; UMT5 has a module for each layer.
    """

    buckets: Tensor

    def __init__(self, description: T5):
        super().__init__(description)
        self.weights = nn.Parameter(torch.tensor(description.weights(), dtype=torch.get_default_dtype()))
        # Distances past the largest share its bucket, so those from -reach to reach are all there is to know.
        self.reach = description.max_distance
        distances = np.arange(-self.reach, self.reach + 1)
        sizes = (description.num_buckets, description.max_distance, description.bidirectional)
        self.fix("buckets", formulas.t5_bucket(distances, *sizes))

    def prepare(self, ctx: Context) -> Tensor:
        """The bias of each distance from -reach to reach, ``(2 * reach + 1, num_heads)``."""
        require_heads(self.weights.shape[1], ctx)
        return self.weights.to(ctx.dtype)[self.buckets]

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        distance = distance_at(ctx, b, i, j).clamp(-self.reach, self.reach)
        return of_heads(ctx.prepared, distance + self.reach, h)
