"""Turning whole blocks of a head by the exponential of a skew matrix."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.schemes.sets_of_heads import for_heads


def block_rotations(places: Tensor, generators: Tensor) -> Tensor:
    """``exp(sum over axes of position * generator)``, ``(b, t, heads, blocks, n, n)``.

    places      (b, t, axes)
    generators  (axes, heads, blocks, n, n), rad / step; in the dtype to calculate in
    """
    return torch.linalg.matrix_exp(formulas.along_all(places, generators))


def blocks_turned(x: Tensor, rotations: Tensor) -> Tensor:
    """Heads ``(b, h, t, hd)`` turned block by block; the same shape and dtype."""
    dtype = torch.promote_types(x.dtype, torch.float32)
    turning = for_heads(rotations, x.shape[1]).to(dtype)
    blocks = x.to(dtype).unflatten(-1, turning.shape[-3:-1])
    return (turning @ blocks[..., None]).flatten(-3).to(x.dtype)
