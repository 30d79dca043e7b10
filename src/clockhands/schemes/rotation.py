"""Rotation: any frequencies, both layouts, the whole head or one end of it."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.description import Description
from clockhands.core.encoding import Table
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.schemes.described import Described
from clockhands.schemes.turning import cos_and_sin, turned


@final
class Rotation(Described):
    """Turns pair i of queries and keys by ``position * inv_freq[i]``. Su et al. 2021 (arXiv 2104.09864).

    ``inv_freq`` is a fixed tensor ``(pairs,)``, rad / token, float64. ``layout`` is the description's, or
    ``half`` if it has none. A head wider than ``2 * pairs`` keeps its other dimensions as they are. Where
    positions have axes, each pair reads the axis that the description says.

    The description's magnitude goes into ``score_scale`` where the whole head turns, and else onto the
    turned dimensions, which is what published models compute. Where frequencies depend on the length, each
    row turns by those of its own length: its largest position and one.

    >>> from clockhands.catalogue.rope import RoPE
    >>> Rotation(RoPE(head_dim=4)).inv_freq
    tensor([1.0000, 0.0100], dtype=torch.float64)
    """

    inv_freq: Tensor
    pair_axes: Tensor

    def __init__(self, description: Description):
        super().__init__(description)
        self.layout: Layout = getattr(description, "layout", "half")
        self.turns_last = getattr(description, "rotary_part", "first") == "last"
        inv_freq = description.inv_freq()
        assert inv_freq is not None, f"{description.card.id} has no frequencies"
        self.fix("inv_freq", inv_freq)
        if description.axes:
            self.fix("pair_axes", _axis_of_each(description))
        self.magnitude, self.score_scale = description.magnitude(), description.softmax_factor()
        if getattr(description, "head_dim", None) == 2 * len(inv_freq):
            self.score_scale *= self.magnitude**2
            self.magnitude = 1.0

    def table(self, places: Tensor) -> Table:
        cos, sin = cos_and_sin(self._angles(places, self._speeds(places)))
        return (cos, sin) if self.magnitude == 1 else (cos * self.magnitude, sin * self.magnitude)

    def _angles(self, places: Tensor, inv_freq: Tensor) -> Tensor:
        if self.axes is None:
            return formulas.angles(places, inv_freq)
        return formulas.angles_on_axes(places, inv_freq, self.pair_axes)

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return self._turned(q, table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return self._turned(k, table)

    def _speeds(self, places: Tensor) -> Tensor:
        if not self.traits.length_dependent or places.shape[-1] == 0:
            return self.inv_freq
        length = places.amax(dim=-1).to(self.inv_freq.dtype)[:, None, None] + 1
        return self.description.inv_freq_at(length)

    def _turned(self, x: Tensor, table: Table) -> Tensor:
        if not self.turns_last:
            return turned(x, table, self.layout)
        kept = x.shape[-1] - 2 * self.inv_freq.shape[0]
        return torch.cat((x[..., :kept], turned(x[..., kept:], table, self.layout)), dim=-1)


def _axis_of_each(description: Description) -> tuple[int, ...]:
    if description.pair_axes is None:
        name = description.card.id
        raise ClockhandsError(
            f"{name} has positions with axes and does not say which axis each hand reads: give it "
            "pair_axes, or a module of its own",
            f"{name} 的位置有多个轴，却没有说明每根指针读哪个轴：请给出 pair_axes，或为它写一个模块",
        )
    return description.pair_axes
