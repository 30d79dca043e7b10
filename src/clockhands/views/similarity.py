"""Similarity of every two positions as a map, with its curve over distance beside it."""

from __future__ import annotations

from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.kernel_map import kernel_map
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.similarity import similarity as similarity_of_hands
from clockhands.analysis.similarity import table_similarity
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.picture import Picture
from clockhands.plots.similarity import TITLE, similarity, similarity_data
from clockhands.views.naming import about
from clockhands.views.offers import curve_speeds, has, noted, table_of, what_it_does
from clockhands.views.room import require_room
from clockhands.views.settings import Settings
from clockhands.views.view import View

MOST_EXACT = 2048
"""With more positions than these, the map of a set of hands is made of exact block means."""
CELLS = 800
LONGEST_CURVE = 2**20


def needs(description: Description) -> Text | None:
    return None if has(description, "table") or has(description, "inv_freq") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    matrix, curve = _numbers(description, settings)
    return similarity(matrix, curve, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    return similarity_data(*_numbers(description, settings))


def _numbers(description: Description, settings: Settings) -> tuple[Labelled, Labelled | None]:
    """The map, and its curve where hands give it without the map."""
    speed = curve_speeds(description)
    start, count = settings.positions.start, settings.count
    if speed is None:
        require_room(Text("a similarity matrix", "相似度矩阵"), (count, count))
        table = table_of(description, settings)
        return noted(table_similarity(table.values, start), description), None
    curve = kernel_range(speed, min(count, LONGEST_CURVE))
    if count <= MOST_EXACT:
        return noted(similarity_of_hands(speed, count, start), description), curve
    window = (start, settings.positions.stop)
    return noted(kernel_map(speed, window, window, (CELLS, CELLS)), description), curve


VIEW = View("similarity", TITLE, needs, draw, data)
