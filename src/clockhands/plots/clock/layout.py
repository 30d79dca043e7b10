"""Where the parts of a clock picture stand, for pixels and for SVG alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.language import Language

Point = tuple[float, float]

MOST_DIALS = 24
"""Past this many hands the rings become a polar map and the wall a table of bands."""

MOST_TIPS = 512
"""Of more hands than this every k-th is drawn as a dot of its own."""

SIZE_WITH_WALL = (1200, 660)
SIZE_ALONE = (640, 640)
LARGEST_CLOCK = 96.0
"""Radius on the wall at the reference size."""


@dataclass(frozen=True)
class Settings:
    """What a clock picture shows besides its hands; ``size`` in pixels, ``trail`` in steps."""

    size: tuple[int, int]
    wall: bool
    trail: int
    lang: Language
    subtitle: str


class Place(NamedTuple):
    """Where a dial stands and how large its marks are: ``unit`` is one pixel of the reference size."""

    centre: Point
    radius: float
    unit: float


class Area(NamedTuple):
    """A rectangle of the page, pixels."""

    left: float
    top: float
    width: float
    height: float


class Layout(NamedTuple):
    """Title line, dial, and the area beside it for a wall or a table (``None`` without)."""

    unit: float
    left: float
    baseline: float
    dial: Place
    beside: Area | None

    @property
    def title_size(self) -> float:
        return 21 * self.unit

    @property
    def subtitle_size(self) -> float:
        return 14.5 * self.unit

    @property
    def quarter_size(self) -> float:
        return 14 * self.unit

    @property
    def label_size(self) -> float:
        return 12.5 * self.unit

    @property
    def small_size(self) -> float:
        return 10 * self.unit


def layout(settings: Settings) -> Layout:
    """The dial left of the wall (above it where the page is taller than wide), or alone on the page."""
    width, height = settings.size
    if settings.wall and height > width:
        return _upright(width, height)
    reference = SIZE_WITH_WALL if settings.wall else SIZE_ALONE
    unit = min(width / reference[0], height / reference[1])
    head = 50 * unit
    below = height - head
    across = min(0.54 * width, below + 20 * unit) if settings.wall else width
    radius = min(across, below) / 2 - 44 * unit
    x = across / 2 + (8 * unit if settings.wall else 0)
    dial = Place((float(round(x)), float(round(head + below / 2 - 4 * unit))), radius, unit)
    left = 2 * dial.centre[0] - 20 * unit
    beside = Area(left, head, width - left - 24 * unit, below - 16 * unit) if settings.wall else None
    return Layout(unit, 26 * unit, 37 * unit, dial, beside)


def _upright(width: int, height: int) -> Layout:
    """The wall below the dial."""
    unit = min(width / SIZE_WITH_WALL[1], height / SIZE_WITH_WALL[0])
    head = 50 * unit
    across = min(width, 0.55 * (height - head))
    centre = (float(round(width / 2)), float(round(head + across / 2 - 4 * unit)))
    dial = Place(centre, across / 2 - 44 * unit, unit)
    top = head + across
    beside = Area(24 * unit, top, width - 48 * unit, height - top - 16 * unit)
    return Layout(unit, 26 * unit, 37 * unit, dial, beside)


def arranged(count: int, area: Area, text: tuple[float, float], unit: float) -> tuple[float, list[Point]]:
    """Radius and centres of ``count`` clocks in rows, as large as the area allows; full rows are preferred.

    ``text`` is the width of the widest text of a clock, and the height of the text above (and below) it.
    """
    text_width, text_height = text

    def fitting(columns: int) -> float:
        across = area.width / columns / 2 - 10 * unit
        down = area.height / math.ceil(count / columns) / 2 - text_height - 5 * unit
        return min(across, down, LARGEST_CLOCK * unit)

    def worth(columns: int) -> float:
        crowded = columns > 1 and area.width / columns < text_width + 10 * unit
        return fitting(columns) * (1.0 if count % columns == 0 else 0.75) * (0.1 if crowded else 1.0)

    columns = max(range(1, count + 1), key=worth)
    radius, rows = fitting(columns), math.ceil(count / columns)
    cell_width = min(area.width / columns, max(4 * radius, text_width + 10 * unit))
    cell_height = min(area.height / rows, 2 * (radius + text_height) + 40 * unit)
    middle = area.left + area.width / 2
    top = area.top + (area.height - rows * cell_height) / 2
    centres: list[Point] = []
    for i in range(count):
        row, column = divmod(i, columns)
        x = middle + (column - (columns - 1) / 2) * cell_width
        centres.append((float(round(x)), float(round(top + (row + 0.5) * cell_height))))
    return radius, centres


def table(rows: int, area: Area, unit: float) -> tuple[float, float, list[Point]]:
    """Radius of the dials of a table of bands, baseline of its head, and the centres of the dials."""
    height = min(area.height / (rows + 0.5), 104 * unit)
    top = area.top + (area.height - height * (rows + 0.5)) / 2
    radius = min(0.42 * height, 0.075 * area.width)
    x = float(round(area.left + 0.02 * area.width + radius))
    return radius, top + 0.3 * height, [(x, float(round(top + height * (row + 1)))) for row in range(rows)]


def roomy(radii: Sequence[float] | NDArray[np.float64], least: float) -> list[int]:
    """Indices of rings that can carry a label: from the outermost in, at least ``least`` pixels apart.

    >>> roomy([1.0, 2.0, 3.0, 4.0], 1.5)
    [3, 1]
    """
    chosen: list[int] = []
    for i in range(len(radii) - 1, -1, -1):
        if not chosen or radii[chosen[-1]] - radii[i] >= least:
            chosen.append(i)
    return chosen
