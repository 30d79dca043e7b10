"""Numbers that know what they are: an array with named axes and units, and its exact file twin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.language import Text

NOTHING = Text("", "")


@dataclass(frozen=True)
class Axis:
    """One axis: ``values`` has one entry per index, numbers or labels (token strings)."""

    name: Text
    values: NDArray[Any]
    unit: Text = NOTHING


@dataclass(frozen=True)
class Labelled:
    """An array with a name, a unit and one Axis per dimension.

    ``id`` is a short identifier used as the array's key in files.
    ``note`` is what a picture must say on its face (``untrained, seed 0``), empty if nothing.
    """

    id: str
    name: Text
    values: NDArray[Any]
    axes: tuple[Axis, ...]
    unit: Text = NOTHING
    note: Text = NOTHING

    def __post_init__(self) -> None:
        shape = tuple(len(axis.values) for axis in self.axes)
        if shape != np.shape(self.values):
            given = np.shape(self.values)
            raise ClockhandsError(
                f"{self.id} has the shape {given}, but its axes have {shape} entries: give one an index",
                f"{self.id} 的形状是 {given}，但各轴的条目数是 {shape}：每个下标都要有一个条目",
            )
