"""Similarity as one curve over distance, for codes whose similarity depends on the distance alone."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.diagonals import Diagonals, diagonals
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.similarity import table_similarity
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.kernel import TITLE, kernel
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.views.naming import about, called
from clockhands.views.offers import curve_speeds, has, noted, rows, table_of, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View

_SAMPLED = 16


def needs(description: Description) -> Text | None:
    if curve_speeds(description) is not None:
        return None
    if not has(description, "table"):
        return what_it_does(description)
    sampled = _along(description, np.arange(min(_SAMPLED, description.traits.max_position or _SAMPLED)))
    if sampled.constant:
        return None
    name = called(description)
    return Text(
        f"{name.en} has no one curve over distance (similarities at one distance differ by up to "
        f"{numeral(sampled.spread, 3)})",
        f"{name.zh}不能用一条随距离变化的曲线概括（同一距离上的相似度最多相差 {numeral(sampled.spread, 3)}）",
    )


def draw(description: Description, settings: Settings) -> Picture:
    (curve,) = data(description, settings)
    return kernel(curve, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    speed = curve_speeds(description)
    if speed is not None:
        return (noted(kernel_range(speed, settings.count), description),)
    table = table_of(description, settings)
    return (noted(diagonals(table_similarity(table.values)).mean, description),)


def _along(description: Description, positions: np.ndarray) -> Diagonals:
    return diagonals(table_similarity(rows(description, positions)))


VIEW = View("kernel", TITLE, needs, draw, data)
