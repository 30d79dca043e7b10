"""A table of positions added to the tokens, whatever its formula."""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.own import OwnTable
from clockhands.core.encoding import Encoding
from clockhands.schemes.adding import added, row_of
from clockhands.schemes.described import Described


@final
class AddedTable(Described):
    """Adds ``description.table(positions)`` to the tokens, computed by numpy once a forward.

    It serves any description with a table. numpy can't be traced: inside ``torch.compile`` the graph breaks
    here, and no gradient flows to the formula.
    """

    exceptions: ClassVar[dict[str, str]] = {"one-graph": "numpy computes the table, which torch can't trace"}

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        rows = self.description.table(places.cpu().numpy())
        return added(x, torch.as_tensor(rows).to(x.device, x.dtype))


@final
class FixedRows(Described):
    """Adds the rows of one's own table, ``(positions, d_model)``, to the tokens; they are not trained.

    Raises ClockhandsError for a position past the last row.
    """

    rows: Tensor

    def __init__(self, description: OwnTable):
        super().__init__(description)
        self.fix("rows", description.weights())

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return added(x, row_of(self.rows, places))


@final
class HandsTable(Described):
    """Adds sines and cosines of ``position * inv_freq`` to the tokens, for hands of any speed.

    ``inv_freq`` is a fixed tensor ``(d_model / 2,)``, rad / token.
    """

    inv_freq: Tensor

    def __init__(self, description: Mixed):
        super().__init__(description)
        self.fix("inv_freq", description.inv_freq())

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return added(x, formulas.sinusoid(places, self.inv_freq))


def own_table(description: OwnTable) -> Encoding:
    """The module for one's own table: of numbers, or of a function."""
    return AddedTable(description) if description.numbers is None else FixedRows(description)
