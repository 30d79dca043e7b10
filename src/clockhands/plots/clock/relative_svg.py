"""The relative clock as animated SVG: query, key and the slice between are one rigid shape that turns."""

from __future__ import annotations

from functools import partial

from clockhands.plots.clock.clock_svg import add_quarters, add_rings
from clockhands.plots.clock.dial import ring_radii
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import Area, Point, Settings, arranged
from clockhands.plots.clock.palette import SECTOR_OPACITY
from clockhands.plots.clock.strokes import tip
from clockhands.plots.clock.svg import (
    Motion,
    SvgPage,
    arc_of,
    circle_of,
    hexadecimal,
    line_of,
    sector_of,
    text_room,
)
from clockhands.plots.clock.wording import apart, relative_title, tokens
from clockhands.plots.style import INK, PAGE, PANEL, RULE, hand_colours

_ARC_OPACITY, _KEY_OPACITY = 0.55, 0.6


def relative_svg(hands: Hands, distance: int, settings: Settings, motion: Motion) -> str:
    """The document; the key starts at ``motion.positions[0]``."""
    page = SvgPage(settings, motion, partial(relative_title, distance=distance))
    add_quarters(page)
    _dials(page, hands, distance)
    if page.places.beside:
        _wall(page, hands, distance, page.places.beside)
    return page.finished()


def _turn(page: SvgPage, hands: Hands, i: int, shapes: str, centre: Point) -> None:
    start, still = (float(hands.angle(page.motion.positions[at])[i]) for at in (0, -1))
    end = start + float(hands.speed[i]) * page.motion.tokens
    page.turning(shapes, centre, start=start, end=end, still=still)


def _dials(page: SvgPage, hands: Hands, distance: int) -> None:
    place = page.places.dial
    centre, unit = place.centre, place.unit
    radii, between = ring_radii(hands.count) * place.radius, hands.angle(distance)
    gap = float(radii[1] - radii[0]) if hands.count > 1 else place.radius
    dot = min(4.6 * unit, 0.44 * gap)
    add_rings(page, radii)
    for i in reversed(range(hands.count)):
        radius, angle = float(radii[i]), float(between[i])
        colour = hexadecimal(hand_colours(hands.count)[i])
        key, query = tip(centre, radius, 0), tip(centre, radius, angle)
        shapes = (
            arc_of(centre, radius, 0, angle, colour, 3.2 * unit, _ARC_OPACITY)
            + line_of(centre, key, colour, unit, _KEY_OPACITY)
            + line_of(centre, query, colour, 1.7 * unit, 0.85)
            + circle_of(key, 0.78 * dot, PAGE, colour, 0.45 * dot)
            + circle_of(query, dot, colour, PAGE, 1.2 * unit)
        )
        _turn(page, hands, i, shapes, centre)


def _wall(page: SvgPage, hands: Hands, distance: int, area: Area) -> None:
    size, unit, lang = page.places.label_size, page.places.unit, page.settings.lang
    between = hands.angle(distance)
    below = [tokens(float(wavelength)).said_in(lang) for wavelength in hands.wavelength]
    above = [apart(float(angle)).said_in(lang) for angle in between]
    radius, centres = arranged(hands.count, area, text_room(size, above, below), unit)
    width = max(2.2, 3.2 * min(1.0, radius / 46 / unit)) * unit
    for i, centre in enumerate(centres):
        angle, colour = float(between[i]), hexadecimal(hand_colours(hands.count)[i])
        page.add(circle_of(centre, radius, PANEL, RULE, 1.3 * unit))
        page.text(centre[0], centre[1] + radius + 1.35 * size, size, below[i], anchor="middle")
        page.text(centre[0], centre[1] - radius - 0.62 * size, size, above[i], INK, "middle")
        key, query = (tip(centre, 0.84 * radius, turned) for turned in (0, angle))
        shapes = (
            sector_of(centre, radius - unit, 0, angle, colour, SECTOR_OPACITY)
            + line_of(centre, key, colour, width)
            + line_of(centre, key, PANEL, width - 1.8 * unit)
            + line_of(centre, query, colour, width)
            + circle_of(centre, 1.25 * width, colour)
        )
        _turn(page, hands, i, shapes, centre)
