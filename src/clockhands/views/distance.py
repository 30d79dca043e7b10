"""Distance from each position to the next: constant for hands, ragged for a learned table."""

from __future__ import annotations

from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import table_neighbours
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.distance import TITLE, distance
from clockhands.plots.picture import Picture
from clockhands.views.naming import about
from clockhands.views.offers import has, noted, table_of, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View


def needs(description: Description) -> Text | None:
    return None if has(description, "table") or has(description, "inv_freq") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    (distances,) = data(description, settings)
    return distance(distances, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    table = table_of(description, settings)
    return (noted(table_neighbours(table.values, settings.positions.start).distance, description),)


VIEW = View("distance", TITLE, needs, draw, data)
