"""Turning heads by angles: what every rotation does once it knows its angles."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import WholeRotary
from clockhands.catalogue.tagged import Tagged
from clockhands.core.encoding import Table
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described


def cos_and_sin(angle: Tensor) -> tuple[Tensor, Tensor]:
    """Angles ``(b, t, pairs)``, rad -> the table ``(cos, sin)`` in their dtype, shared by all heads."""
    return angle.cos(), angle.sin()


def turned(x: Tensor, table: Table, layout: Layout) -> Tensor:
    """Heads ``(b, h, t, hd)`` with their leading ``2 * pairs`` dimensions turned; same shape and dtype.

    cos and sin are cast last: to float32, or to float64 if x is. Raises ClockhandsError for a narrow head.
    """
    assert isinstance(table, tuple)
    needed = 2 * table[0].shape[-1]
    if x.shape[-1] < needed:
        raise ClockhandsError(
            f"head_dim is {x.shape[-1]}, and this rotation turns {needed}: make heads wider or turn fewer",
            f"head_dim 为 {x.shape[-1]}，而这个旋转要用 {needed} 维：请加宽注意力头，或减少旋转的维数",
        )
    dtype = torch.promote_types(x.dtype, torch.float32)
    cos, sin = (part[:, None].to(dtype) for part in table)
    return formulas.rotate(x, cos, sin, layout)


class TurningHands(Described):
    """Turns queries and keys by ``position * inv_freq``; subclasses change the table or do more besides.

    ``inv_freq`` is a fixed tensor ``(pairs,)``, rad / token.
    """

    inv_freq: Tensor

    def __init__(self, description: WholeRotary | Tagged):
        super().__init__(description)
        self.layout: Layout = description.layout
        self.fix("inv_freq", _known(description.inv_freq()))

    def table(self, places: Tensor) -> Table:
        return cos_and_sin(formulas.angles(places, self.inv_freq))

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turned(q, table, self.layout)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return turned(k, table, self.layout)


def _known(speeds: Array | None) -> Array:
    assert speeds is not None, "a rotation has frequencies"
    return speeds
