"""The clock as animated SVG: the same dials and wall as in pixels, turning smoothly between positions."""

from __future__ import annotations

import numpy as np

from clockhands.plots.clock.bands import COLUMN_EDGES, bands_of
from clockhands.plots.clock.dial import QUARTERS, TRAIL_OPACITY, ring_radii
from clockhands.plots.clock.hands import Floats, Hands
from clockhands.plots.clock.layout import MOST_DIALS, Area, Place, Settings, arranged, roomy, table
from clockhands.plots.clock.polar import polar_radii, round_rings, some_of
from clockhands.plots.clock.strokes import tip
from clockhands.plots.clock.svg import (
    Motion,
    SvgPage,
    arc_of,
    circle_of,
    hexadecimal,
    line_of,
    number,
    text_room,
)
from clockhands.plots.clock.wording import (
    COLUMNS,
    position_title,
    share_of,
    short,
    span,
    tokens,
    turn_span,
    turns_at,
    turns_in,
)
from clockhands.plots.style import INK, PAGE, PANEL, QUIET, RULE, hand_colours

_TRAIL_PIECES = 6


def clock_svg(hands: Hands, settings: Settings, motion: Motion) -> str:
    """The document; every hand turns at exactly its speed, ``motion.steps_per_second`` positions a second."""
    page = SvgPage(settings, motion, position_title)
    places = page.places
    colours = [hexadecimal(colour) for colour in hand_colours(hands.count)]
    writer = _Writer(page, hands, colours)
    add_quarters(page)
    many = hands.count > MOST_DIALS
    if many:
        writer.polar_map(places.dial)
    else:
        writer.dials(places.dial, settings.trail)
    if places.beside and many:
        writer.bands(places.beside)
    elif places.beside:
        writer.wall(places.beside)
    return page.finished()


def add_quarters(page: SvgPage) -> None:
    """Twelve ticks and the names of the quarter turns."""
    place, size = page.places.dial, page.places.quarter_size
    for hour in range(12):
        start, end = (tip(place.centre, place.radius + out * place.unit, hour * np.pi / 6) for out in (8, 19))
        page.add(line_of(start, end, QUIET, 1.7 * place.unit, 0.8))
    for quarter, name in enumerate(QUARTERS):
        x, y = tip(place.centre, place.radius + 34 * place.unit, quarter * np.pi / 2)
        page.text(x, y + 0.36 * size, size, name, anchor="middle")


def add_rings(page: SvgPage, radii: Floats) -> None:
    """Thin circles around the centre of the dial."""
    place = page.places.dial
    for radius in radii:
        page.add(circle_of(place.centre, float(radius), "none", RULE, 1.1 * place.unit))


class _Writer:
    """Writes the parts of one clock on one page."""

    def __init__(self, page: SvgPage, hands: Hands, colours: list[str]):
        self._page, self._hands, self._colours = page, hands, colours
        positions = page.motion.positions
        self._start = hands.angle(positions[0])
        self._end = self._start + hands.speed * page.motion.tokens
        self._still = hands.angle(positions[-1])

    def _turn(self, i: int, shapes: str, centre: tuple[float, float]) -> None:
        start, end, still = (float(angles[i]) for angles in (self._start, self._end, self._still))
        self._page.turning(shapes, centre, start=start, end=end, still=still)

    def dials(self, place: Place, trail: int) -> None:
        """Rings, hands with tips, and trails."""
        radii, unit = ring_radii(self._hands.count) * place.radius, place.unit
        gap = float(radii[1] - radii[0]) if len(radii) > 1 else place.radius
        dot = min(4.6 * unit, 0.44 * gap)
        add_rings(self._page, radii)
        for i in reversed(range(self._hands.count)):
            radius, colour = float(radii[i]), self._colours[i]
            end = tip(place.centre, radius, 0)
            shapes = self._trail(place, radius, float(self._hands.speed[i]) * trail, colour)
            shapes += line_of(place.centre, end, colour, 1.7 * unit, 0.85)
            self._turn(i, shapes + circle_of(end, dot, colour, PAGE, 1.2 * unit), place.centre)
        if not self._page.places.beside:
            self._on_spoke(self._hands.wavelength, radii)

    def _trail(self, place: Place, radius: float, reach: float, colour: str) -> str:
        """Pieces of an arc behind the hand, paler the farther back."""
        length = min(abs(reach), 1.99 * np.pi)
        if length * radius < 2 * place.unit:
            return ""
        pieces: list[str] = []
        for piece in range(_TRAIL_PIECES):
            near, far = (length * (piece + more) / _TRAIL_PIECES for more in (0, 1))
            start, end = (-far, -near) if reach > 0 else (near, far)
            opacity = TRAIL_OPACITY * (1 - (piece + 0.5) / _TRAIL_PIECES)
            pieces.append(arc_of(place.centre, radius, start, end, colour, 3.2 * place.unit, opacity))
        return f"<g>{''.join(pieces)}{self._growing()}</g>"

    def _growing(self) -> str:
        """A run that starts at position 0 starts without trails: nothing has moved before."""
        positions = self._page.motion.positions
        share = self._page.settings.trail / len(positions) / positions.step
        if positions[0] or not 0 < share < 1:
            return ""
        times = f'values="0;1;1" keyTimes="0;{number(share)};1"'
        return f'<animate attributeName="opacity" {times} {self._page.motion.repeat}/>'

    def _on_spoke(self, wavelength: Floats, radii: Floats) -> None:
        """Wavelengths along the six o'clock spoke, as many as have room."""
        place, size = self._page.places.dial, self._page.places.small_size
        for i in roomy(radii, 1.25 * size):
            x, y, text = place.centre[0], place.centre[1] + float(radii[i]), short(float(wavelength[i]))
            half = 0.32 * size * len(text) + 2 * place.unit
            self._page.add(line_of((x - half, y), (x + half, y), PAGE, size))
            self._page.text(x, y + 0.36 * size, size, text, anchor="middle")

    def polar_map(self, place: Place) -> None:
        """Rings at round wavelengths, and the tips of the hands."""
        radii = polar_radii(self._hands.count) * place.radius
        marked, rings = round_rings(self._hands.wavelength, radii)
        add_rings(self._page, rings)
        self._on_spoke(marked, rings)
        gap = float(radii[1] - radii[0])
        dot = max(1.8, min(4.6, 0.44 * gap)) * place.unit
        for i in some_of(self._hands.count)[::-1]:
            end = tip(place.centre, float(radii[i]), 0)
            self._turn(int(i), circle_of(end, dot, self._colours[i]), place.centre)

    def wall(self, area: Area) -> None:
        """Small clocks with the wavelength below and the turns of the whole run above."""
        page, hands = self._page, self._hands
        size, unit, lang = page.places.label_size, page.places.unit, page.settings.lang
        below = [tokens(float(wavelength)).said_in(lang) for wavelength in hands.wavelength]
        run = page.motion.tokens
        above = [turns_in(float(speed) * run / (2 * np.pi), run).said_in(lang) for speed in hands.speed]
        radius, centres = arranged(hands.count, area, text_room(size, above, below), unit)
        width = max(2.2, 3.2 * min(1.0, radius / 46 / unit)) * unit
        for i, centre in enumerate(centres):
            page.add(circle_of(centre, radius, PANEL, RULE, 1.3 * unit))
            page.text(centre[0], centre[1] + radius + 1.35 * size, size, below[i], anchor="middle")
            page.text(centre[0], centre[1] - radius - 0.62 * size, size, above[i], INK, "middle")
            end = tip(centre, 0.84 * radius, 0)
            hand = line_of(centre, end, self._colours[i], width)
            self._turn(i, hand + circle_of(centre, 1.25 * width, self._colours[i]), centre)

    def bands(self, area: Area) -> None:
        """The table of bands, with the turns made at the last position."""
        page, hands = self._page, self._hands
        size, unit, lang = page.places.label_size, page.places.unit, page.settings.lang
        last = page.motion.positions[-1]
        turns = np.abs(hands.turns(np.array([last], dtype=np.float64))[0])
        bands = bands_of(hands.wavelength)
        radius, top, centres = table(len(bands), area, unit)
        edges = [area.left + share * area.width for share in COLUMN_EDGES]
        heads = (*COLUMNS[:2], turns_at(last), COLUMNS[3])
        for edge, column in zip(edges, heads, strict=True):
            page.text(edge, top, size, column.said_in(lang), anchor="end")
        for band, centre in zip(bands, centres, strict=True):
            page.add(circle_of(centre, radius, PANEL, RULE, 1.3 * unit))
            wavelength, made = hands.wavelength[band], turns[band]
            row = (
                span(float(wavelength[0]), float(wavelength[-1])),
                f"{len(wavelength):,}",
                turn_span(float(made.min()), float(made.max())),
                share_of(int((made >= 1).sum()), len(made)),
            )
            for text, edge in zip(row, edges, strict=True):
                page.text(edge, centre[1] + 0.36 * size, size, text, INK, "end")
            for i in np.arange(hands.count)[band][some_of(len(made), most=24)]:
                end = tip(centre, 0.88 * radius, 0)
                self._turn(int(i), line_of(centre, end, self._colours[i], 1.5 * unit, 0.8), centre)
