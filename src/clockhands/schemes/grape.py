"""GRAPE: one learned plane of each head turns."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.grape import GRAPE
from clockhands.core.encoding import Table
from clockhands.core.fixed import widest_float
from clockhands.errors import ClockhandsError
from clockhands.schemes.described import Described
from clockhands.schemes.relative import trained


@final
class PlaneRotation(Described):
    """Turns queries and keys in the plane of ``a`` and ``b``. Zhang et al. 2025 (arXiv 2512.07805).

    ``a`` and ``b`` are ``(num_planes, head_dim)``, ``log_omega`` ``(num_planes,)``; heads that share keys
    share a plane. The angle is position times ``inv_freq``.
    """

    def __init__(self, description: GRAPE):
        super().__init__(description)
        a, b = description.planes()
        self.a, self.b = trained(a), trained(b)
        self.log_omega = trained(np.log(description.inv_freq()))

    @property
    def inv_freq(self) -> Tensor:
        """Angular speed of each plane, ``(num_planes,)``, rad / token."""
        a, b, log_omega = (part.to(widest_float(part.device)) for part in (self.a, self.b, self.log_omega))
        return log_omega.exp() * formulas.plane_speed(a, b)

    def table(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """cos and sin of each plane's angle, ``(b, t, num_planes)``."""
        angle = formulas.angles(places, self.inv_freq)
        return angle.cos(), angle.sin()

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return self._turned(q, table)

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return self._turned(k, table)

    def _turned(self, x: Tensor, table: Table) -> Tensor:
        planes, width = self.a.shape
        if x.shape[1] % planes or x.shape[-1] != width:
            raise ClockhandsError(
                f"there are {x.shape[1]} heads of {x.shape[-1]}, and this encoding has {planes} planes in "
                f"heads of {width}: give it the same head_dim, and a num_planes that divides the key heads",
                f"有 {x.shape[1]} 个宽 {x.shape[-1]} 的头，而这个编码有 {planes} 个平面，头宽 {width}："
                "head_dim 应一致，平面数应整除键头数",
            )
        assert isinstance(table, tuple)
        dtype, each = torch.promote_types(x.dtype, torch.float32), x.shape[1] // planes
        cos, sin = (part.to(dtype).transpose(1, 2).repeat_interleave(each, dim=1) for part in table)
        a, b = (part.to(dtype).repeat_interleave(each, dim=0)[:, None] for part in (self.a, self.b))
        return formulas.turn_in_plane(x.to(dtype), a, b, cos, sin).to(x.dtype)
