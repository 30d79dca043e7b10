"""What is wrong with a table of positions, if anything, drawn where it is."""

from __future__ import annotations

from clockhands.analysis.labelled import Labelled
from clockhands.analysis.verdict import examine
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.picture import Picture
from clockhands.plots.verdict import TITLE, findings_data, verdict
from clockhands.views.naming import about
from clockhands.views.offers import has, table_of, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View


def needs(description: Description) -> Text | None:
    return None if has(description, "table") or has(description, "inv_freq") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    table = table_of(description, settings)
    found = examine(table.values, settings.positions.start, progress=settings.progress)
    return verdict(table, found, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    table = table_of(description, settings)
    return (table, *findings_data(examine(table.values, settings.positions.start)))


VIEW = View("verdict", TITLE, needs, draw, data)
