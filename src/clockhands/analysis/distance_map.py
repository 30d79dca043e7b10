"""Which distance a remap gives each pair of positions, and what it makes of the distances of one query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import inputs
from clockhands.analysis.axes import TOKENS, distance_axis, position_axis
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory

Distances: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[Any]]
"""Query and key positions, ``(tq,)`` and ``(tk,)``, to distances ``(tq, tk)``, tokens; NaN: not seen."""

NAME = Text("effective distance", "等效距离")


@dataclass(frozen=True)
class DistanceMap:
    """What a decoder's rotation is given.

    ``map``     distance of each query and key, ``(n, n)``; NaN where nothing is seen
    ``last``    the row of the last query over the true distance, nearest first, ``(n,)``
    ``largest`` the largest distance in the map, tokens
    ``exact``   how many distances from 0 on are left as they are for the last query
    """

    map: Labelled
    last: Labelled
    largest: float
    exact: int


def distance_map(distances: Distances, positions: ArrayLike) -> DistanceMap:
    """The distances at these positions, which rise. Keys after the query are masked.

    >>> found = distance_map(lambda q, k: np.minimum(q[:, None] - k, 2), np.arange(5))
    >>> found.last.values.tolist(), found.largest, found.exact
    ([0.0, 1.0, 2.0, 2.0, 2.0], 2.0, 3)
    """
    places = inputs.places(positions).astype(np.int64)
    require_memory(Text("a distance map", "距离图"), (len(places), len(places)), bytes_each=32)
    if len(places) == 0 or (np.diff(places) <= 0).any():
        raise ClockhandsError(
            "the positions of a distance map must rise, and there must be one or more: sort them",
            "距离图的位置必须从小到大，并且至少有一个：请排好顺序",
        )
    given = np.asarray(distances(places, places), dtype=np.float64)
    true = places[:, None] - places[None, :]
    values = np.where(true >= 0, given, np.nan)
    axes = (
        position_axis(places, Text("query position", "查询位置")),
        position_axis(places, Text("key position", "键位置")),
    )
    row, behind = values[-1, ::-1], true[-1, ::-1]
    changed = np.flatnonzero(row != behind)
    return DistanceMap(
        map=Labelled("distance_map", NAME, values, axes, TOKENS),
        last=Labelled("last_query", NAME, row, (distance_axis(behind),), TOKENS),
        largest=float(np.nanmax(values)),
        exact=int(changed[0]) if len(changed) else len(row),
    )
