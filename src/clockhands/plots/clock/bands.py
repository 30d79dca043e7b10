"""The table of bands: hands grouped by wavelength, one row a band, where a wall would be too crowded."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clockhands.language import Language
from clockhands.plots.clock.canvas import Canvas
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import Area, Point, table
from clockhands.plots.clock.lettering import Lettering, Slot
from clockhands.plots.clock.strokes import PolarField, disc, fan, polar_field, ring
from clockhands.plots.clock.wording import COLUMNS, share_of, span, turn_span
from clockhands.plots.style import INK, PANEL, QUIET, RULE, hand_colours

COLUMN_EDGES = (0.4, 0.54, 0.77, 0.99)
"""Right edges of the columns, as shares of the width."""
_MOST_BANDS = 7


@dataclass(frozen=True)
class Row:
    """One band on the page: its hands, its dial, and the places of the numbers that change."""

    band: slice
    field: PolarField
    turns: Slot
    past: Slot


class Bands:
    """Dials, wavelengths and counts once; hands and turns for every frame."""

    def __init__(
        self, canvas: Canvas, hands: Hands, area: Area, lettering: Lettering, lang: Language, unit: float
    ):
        self._canvas, self._hands, self._lettering, self._unit = canvas, hands, lettering, unit
        self._colours = hand_colours(hands.count)
        bands = bands_of(hands.wavelength)
        self._radius, head, centres = table(len(bands), area, unit)
        self._edges = [area.left + share * area.width for share in COLUMN_EDGES]
        for edge, column in zip(self._edges, COLUMNS, strict=True):
            text = lettering.marks(canvas, edge, head, column.said_in(lang), "right")
            canvas.lay(text, QUIET)
        self._rows = [self._row(band, centre) for band, centre in zip(bands, centres, strict=True)]

    def _row(self, band: slice, centre: Point) -> Row:
        canvas, lettering = self._canvas, self._lettering
        canvas.lay(disc(canvas, centre, self._radius), PANEL)
        canvas.lay(ring(canvas, centre, self._radius, 1.3 * self._unit), RULE)
        baseline = centre[1] + 0.36 * lettering.size
        wavelength = self._hands.wavelength[band]
        says = (span(float(wavelength[0]), float(wavelength[-1])), f"{len(wavelength):,}")
        for text, edge in zip(says, self._edges, strict=False):
            canvas.lay(lettering.marks(canvas, edge, baseline, text, "right"), INK)
        slots = [Slot(canvas, lettering, edge, baseline, "right") for edge in self._edges[2:]]
        return Row(band, polar_field(canvas, centre, self._radius - self._unit), *slots)

    def draw(self, position: float) -> None:
        angles = self._hands.angle(position)
        turns = np.abs(self._hands.turns(np.array([position], dtype=np.float64))[0])
        for row in self._rows:
            marks, nearest = fan(row.field, angles[row.band], 0.88 * self._radius, 1.5 * self._unit)
            self._canvas.lay(marks, self._colours[row.band][nearest], 0.8)
            made = turns[row.band]
            row.turns.lay(turn_span(float(made.min()), float(made.max())), INK)
            row.past.lay(share_of(int((made >= 1).sum()), len(made)), INK)


def bands_of(wavelength: NDArray[np.float64]) -> list[slice]:
    """Neighbouring hands with wavelengths of the same power of ten, or of the same few where there are many.

    ``wavelength`` rises. Where it spans less than two powers of ten the bands hold equally many hands; hands
    that never turn are a band of their own.

    >>> bands_of(np.array([6.0, 9.0, 20.0, 30.0, 400.0, np.inf]))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None), slice(5, 6, None)]
    """
    turning = int(np.isfinite(wavelength).sum())
    powers = np.floor(np.log10(wavelength[:turning]))
    if turning and powers[-1] - powers[0] < 2:
        powers = np.arange(turning) * min(5, turning) // turning
    if turning:
        step = max(1, int(np.ceil((powers[-1] - powers[0] + 1) / _MOST_BANDS)))
        powers = (powers - powers[0]) // step
    starts = [0, *(np.flatnonzero(np.diff(powers)) + 1).tolist(), turning]
    if turning < len(wavelength):
        starts.append(len(wavelength))
    return [slice(a, b) for a, b in pairwise(starts) if b > a]
