"""Turning whole blocks of a head by the exponential of a skew matrix."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.core.encoding import Table
from clockhands.schemes.described import Described
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


class TurningBlocks(Described):
    """Turns queries and keys by ``exp(sum over axes of position * A_axis)``; subclasses give the A."""

    def generators(self) -> Tensor:
        """The skew matrix of each axis, head and block, ``(axes, heads, blocks, n, n)``, rad / step."""
        raise NotImplementedError

    @property
    def inv_freq(self) -> Tensor:
        """What all heads turn when all axes move together, and how fast, rad / step; head 0 first."""
        return formulas.generator_speeds(self.generators().sum(0)).flatten()

    def table(self, places: Tensor) -> Table:
        return block_rotations(places, self.generators())

    def queries(self, q: Tensor, table: Table) -> Tensor:
        assert isinstance(table, Tensor)
        return blocks_turned(q, table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        assert isinstance(table, Tensor)
        return blocks_turned(k, table)
