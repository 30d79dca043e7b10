"""Putting a table of positions into hidden states: what every absolute encoding does once it has its rows."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.catalogue.rules import position_outside
from clockhands.errors import ClockhandsError


def added(x: Tensor, rows: Tensor) -> Tensor:
    """``x + rows``, ``(b, t, d)`` in the dtype of x; rows ``(b or 1, t, d)``, refused if of another width."""
    if rows.shape[-1] != x.shape[-1]:
        raise ClockhandsError(
            f"tokens are {x.shape[-1]} wide and the table {rows.shape[-1]}: both must be d_model",
            f"词元向量宽 {x.shape[-1]}，位置表宽 {rows.shape[-1]}：两者都必须等于 d_model",
        )
    return x + rows.to(x.dtype)


def beside(x: Tensor, rows: Tensor) -> Tensor:
    """``[x; rows]``, ``(b, t, token width + table width)`` in the dtype of x."""
    rows = rows.expand(*x.shape[:-1], rows.shape[-1])
    return torch.cat((x, rows.to(x.dtype)), dim=-1)


def row_of(table: Tensor, places: Tensor) -> Tensor:
    """Rows of a table ``(rows, d)`` at integer places; a place outside it is refused in one sentence.

    Inside a compiled graph the check is left to torch's own indexing, since it must read the values.
    """
    if not torch.compiler.is_compiling() and places.device.type != "meta":
        outside = places[(places < 0) | (places >= table.shape[0])]
        if outside.numel():
            raise position_outside(int(outside[0]), table.shape[0])
    return table[places]
