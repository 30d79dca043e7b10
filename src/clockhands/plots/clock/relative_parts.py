"""Dials and wall of the relative clock, in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from clockhands.language import Language
from clockhands.plots.clock.canvas import Canvas, Marks, joined
from clockhands.plots.clock.dial import Lanes, lay_dots, lay_quarters, lay_rings, ring_radii, tips_of
from clockhands.plots.clock.hands import Floats, Hands
from clockhands.plots.clock.header import Header
from clockhands.plots.clock.layout import Area, Place, Settings, arranged, layout
from clockhands.plots.clock.lettering import Lettering
from clockhands.plots.clock.palette import SECTOR_OPACITY, clock_palette
from clockhands.plots.clock.scene import Letterings, Painter, Part
from clockhands.plots.clock.strokes import PolarField, disc, discs, lines, polar_field, ring
from clockhands.plots.clock.wording import apart, relative_title, tokens
from clockhands.plots.style import INK, PAGE, PANEL, QUIET, RULE, hand_colours, mixed, rgb

ARC_OPACITY, KEY_OPACITY = 0.55, 0.6


def relative_painter(hands: Hands, distance: int, settings: Settings, widest: float) -> Painter:
    """A painter of both sets of hands; ``widest`` is the position with the most digits."""
    canvas = Canvas(*settings.size, PAGE)
    parts = list(_parts(canvas, hands, distance, settings, widest))
    return Painter(canvas, parts, clock_palette(hands.count))


def _parts(canvas: Canvas, hands: Hands, distance: int, settings: Settings, widest: float) -> Iterator[Part]:
    places = layout(settings)
    write = Letterings(settings, places)
    says = partial(relative_title, distance=distance)
    yield Header(canvas, write.title, write.subtitle, places, settings, says, widest)
    lay_quarters(canvas, places.dial, write.quarter)
    yield RelativeDial(canvas, hands, distance, places.dial)
    if places.beside:
        yield RelativeWall(canvas, hands, distance, places.beside, write.label, settings.lang, places.unit)


class RelativeDial:
    """On each ring the query's tip (full), the key's (hollow), and the arc between them."""

    def __init__(self, canvas: Canvas, hands: Hands, distance: int, place: Place):
        self._canvas, self._hands, self._distance, self._place = canvas, hands, distance, place
        self._colours = hand_colours(hands.count)
        self._radii = ring_radii(hands.count) * place.radius
        self._between = hands.angle(distance)
        gap = float(self._radii[1] - self._radii[0]) if hands.count > 1 else place.radius
        field = polar_field(canvas, place.centre, place.radius + 3 * place.unit)
        lay_rings(canvas, field, self._radii, place.unit)
        self._lanes = Lanes(field, self._radii, min(3.4 * place.unit, 0.6 * gap))
        self._dot = min(4.6 * place.unit, 0.44 * gap)

    def draw(self, position: float) -> None:
        key, query = self._hands.angle(position), self._hands.angle(position + self._distance)
        canvas, centre, unit = self._canvas, self._place.centre, self._place.unit
        marks, lane = self._lanes.arcs(query, self._between)
        canvas.lay(marks, self._colours[lane], ARC_OPACITY)
        key_tips, query_tips = (tips_of(centre, self._radii, angles) for angles in (key, query))
        tips = np.stack([key_tips, query_tips], axis=1)[::-1].reshape(-1, 2)  # the slowest below the others
        marks, hand = lines(canvas, centre, tips, np.tile([unit, 1.7 * unit], self._hands.count))
        opacity = np.array([KEY_OPACITY, 0.85], dtype=np.float32)[hand % 2]
        canvas.lay_in_turn(marks, self._colours[::-1][hand // 2], opacity)
        lay_dots(canvas, key_tips, self._dot, 1.2 * unit, self._colours)
        canvas.lay(discs(canvas, key_tips, 0.55 * self._dot)[0], PAGE)
        lay_dots(canvas, query_tips, self._dot, 1.2 * unit, self._colours)


class RelativeWall:
    """Small clocks with both hands and the slice between, whose angle is written above once for all."""

    def __init__(
        self,
        canvas: Canvas,
        hands: Hands,
        distance: int,
        area: Area,
        lettering: Lettering,
        lang: Language,
        unit: float,
    ):
        self._canvas, self._hands, self._distance, self._unit = canvas, hands, distance, unit
        self._colours = hand_colours(hands.count)
        self._tints = mixed(self._colours, np.array(rgb(PANEL), dtype=np.float64), SECTOR_OPACITY)
        self._between = hands.angle(distance)
        below = [tokens(float(wavelength)).said_in(lang) for wavelength in hands.wavelength]
        above = [apart(float(angle)).said_in(lang) for angle in self._between]
        room = max(map(lettering.width, (*above, *below))), 1.8 * lettering.size
        self._radius, centres = arranged(hands.count, area, room, unit)
        self._centres = np.array(centres)
        self._fields: list[PolarField] = []
        for i, centre in enumerate(centres):
            canvas.lay(disc(canvas, centre, self._radius), PANEL)
            canvas.lay(ring(canvas, centre, self._radius, 1.3 * unit), RULE)
            self._fields.append(polar_field(canvas, centre, self._radius - 1.5 * unit))
            over = centre[1] - self._radius - 0.62 * lettering.size
            under = centre[1] + self._radius + 1.35 * lettering.size
            canvas.lay(lettering.marks(canvas, centre[0], over, above[i], "middle"), INK)
            canvas.lay(lettering.marks(canvas, centre[0], under, below[i], "middle"), QUIET)

    def draw(self, position: float) -> None:
        key, query = self._hands.angle(position), self._hands.angle(position + self._distance)
        width = max(2.2, 3.2 * min(1.0, self._radius / 46 / self._unit)) * self._unit
        slices, clock = joined(
            [
                _slice(field, float(end), float(reach), self._radius)
                for field, end, reach in zip(self._fields, query, self._between, strict=True)
            ]
        )
        self._canvas.lay(slices, self._tints[clock])
        self._lay_hands(key, width, self._colours)
        self._lay_hands(key, width - 1.8 * self._unit, np.array([rgb(PANEL)] * self._hands.count))
        self._lay_hands(query, width, self._colours)
        hubs, clock = discs(self._canvas, self._centres, 1.25 * width)
        self._canvas.lay(hubs, self._colours[clock])

    def _lay_hands(self, angles: Floats, width: float, colours: Floats) -> None:
        ends = tips_of(self._centres, 0.84 * self._radius, angles)
        marks, clock = lines(self._canvas, self._centres, ends, width)
        self._canvas.lay(marks, colours[clock])


def _slice(field: PolarField, end: float, reach: float, radius: float) -> Marks:
    """The slice of a dial that ends at the angle ``end`` and began ``reach`` before, both edges smoothed."""
    behind = np.float32(end) - field.angle
    behind[behind < 0] += np.float32(2 * np.pi)
    edge = np.minimum(behind, np.float32(reach) - behind) * field.distance
    coverage = np.clip(np.minimum(edge, np.float32(radius) - field.distance), 0, 1)
    on = coverage > 0
    return Marks(field.pixels[on], coverage[on])
