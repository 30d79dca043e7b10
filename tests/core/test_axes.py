"""Plain positions given to an encoding whose positions have axes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from clockhands.core.attend import enter
from clockhands.core.encoding import Encoding, Table
from clockhands.errors import ClockhandsError


class Wide(Encoding):
    """Remembers nothing: its table is its places."""

    axes = 3

    def table(self, places: Tensor) -> Table:
        return places


class Spreading(Wide):
    spreads = True


def table_of(encoding: Encoding, positions: Tensor | None) -> Tensor:
    table = enter([encoding], torch.zeros(2, 3, 8), positions)[1][0].table
    assert isinstance(table, Tensor)
    return table


def test_plain_positions_count_on_every_axis_where_an_encoding_says_so() -> None:
    every = torch.arange(3)[None, :, None].expand(1, 3, 3)
    assert torch.equal(table_of(Spreading(), None), every)
    assert torch.equal(table_of(Spreading(), torch.arange(3)[None]), every)
    assert table_of(Spreading(), torch.tensor([[4, 5, 6], [0, 0, 1]]))[1].tolist() == [
        [0] * 3,
        [0] * 3,
        [1] * 3,
    ]


def test_positions_with_axes_are_taken_as_they_are() -> None:
    given = torch.arange(18).view(2, 3, 3)
    assert torch.equal(table_of(Spreading(), given), given)
    assert torch.equal(table_of(Wide(), given), given)


def test_else_plain_positions_are_refused() -> None:
    with pytest.raises(ClockhandsError, match=r"Wide needs \(2, 3, 3\)"):
        table_of(Wide(), torch.arange(3)[None])
    with pytest.raises(ClockhandsError, match=r"Spreading needs \(2, 3, 3\)"):
        table_of(Spreading(), torch.zeros(2, 3, 2, dtype=torch.int64))


def test_encodings_of_either_kind_share_plain_positions() -> None:
    hidden, (one, other) = enter([Spreading(), Encoding()], torch.zeros(2, 3, 8), torch.arange(3)[None])
    assert hidden.shape == (2, 3, 8)
    assert (one.places.shape, other.places.shape) == ((2, 3, 3), (2, 3))
