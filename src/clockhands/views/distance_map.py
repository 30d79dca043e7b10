"""Which distance each query and key are turned by, for schemes that remap positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.distance_map import DistanceMap
from clockhands.analysis.distance_map import distance_map as distances_at
from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Array, Description
from clockhands.language import Text
from clockhands.plots.distance_map import TITLE, distance_map
from clockhands.plots.picture import Picture
from clockhands.views.naming import about
from clockhands.views.offers import has, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View


def needs(description: Description) -> Text | None:
    return None if has(description, "distance_map") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    return distance_map(_found(description, settings), lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    found = _found(description, settings)
    return found.map, found.last


def _found(description: Description, settings: Settings) -> DistanceMap:
    def distances(queries: NDArray[Any], keys: NDArray[Any]) -> Array:
        given = description.distance_map(queries, keys)
        assert given is not None
        return given

    count = settings.count
    return distances_at(distances, settings.places(Text("a distance map", "距离图"), count).astype(np.int64))


VIEW = View("distance-map", TITLE, needs, draw, data, any_step=True)
