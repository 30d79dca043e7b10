"""The wall: each hand on a small clock of its own, wavelength below, turns made above."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.language import Language
from clockhands.plots.clock.canvas import Canvas, Marks, joined
from clockhands.plots.clock.dial import tips_of
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import Area, Point, arranged
from clockhands.plots.clock.lettering import Lettering, Slot
from clockhands.plots.clock.palette import SECTOR_OPACITY
from clockhands.plots.clock.strokes import PolarField, disc, discs, lines, polar_field, ring
from clockhands.plots.clock.wording import tokens, turned
from clockhands.plots.style import INK, PANEL, QUIET, RULE, hand_colours, mixed, rgb


class Face(NamedTuple):
    """The pixels of a small clock, sorted by angle, and how much of each is on it."""

    field: PolarField
    coverage: NDArray[np.float32]


class Wall:
    """Faces, outlines and wavelengths once; sectors, hands and turns for every frame."""

    def __init__(
        self, canvas: Canvas, hands: Hands, area: Area, lettering: Lettering, lang: Language, unit: float
    ):
        self._canvas, self._hands, self._unit = canvas, hands, unit
        self._lang: Language = lang
        self._colours = hand_colours(hands.count)
        below = [tokens(float(wavelength)).said_in(lang) for wavelength in hands.wavelength]
        room = max(map(lettering.width, below)), 1.8 * lettering.size
        self._radius, centres = arranged(hands.count, area, room, unit)
        self._centres = np.array(centres)
        self._faces = [self._face(centre) for centre in centres]
        self._slots: list[Slot] = []
        white = np.array(rgb(PANEL), dtype=np.float64)
        self._tints = mixed(self._colours, white, SECTOR_OPACITY)
        for centre, text in zip(centres, below, strict=True):
            baseline = centre[1] + self._radius + 1.35 * lettering.size
            canvas.lay(lettering.marks(canvas, centre[0], baseline, text, "middle"), QUIET)
            above = centre[1] - self._radius - 0.62 * lettering.size
            self._slots.append(Slot(canvas, lettering, centre[0], above, "middle"))

    def _face(self, centre: Point) -> Face:
        self._canvas.lay(disc(self._canvas, centre, self._radius), PANEL)
        self._canvas.lay(ring(self._canvas, centre, self._radius, 1.3 * self._unit), RULE)
        field = polar_field(self._canvas, centre, self._radius - self._unit)
        order = np.argsort(field.angle, kind="stable")
        field = PolarField(field.pixels[order], field.distance[order], field.angle[order])
        edge = np.clip(np.float32(self._radius - 0.65 * self._unit + 0.5) - field.distance, 0, 1)
        return Face(field, edge)

    def draw(self, position: float) -> None:
        angles = self._hands.angle(position)
        turns = self._hands.turns(np.array([position], dtype=np.float64))[0]
        sectors, clock = joined(
            [
                _sector(face, float(angle), bool(turned < 0))
                for face, angle, turned in zip(self._faces, angles, turns, strict=True)
            ]
        )
        self._canvas.lay(sectors, self._tints[clock])
        ends = tips_of(self._centres, 0.84 * self._radius, angles)
        width = max(2.2, 3.2 * min(1.0, self._radius / 46 / self._unit)) * self._unit
        hands, clock = lines(self._canvas, self._centres, ends, width)
        self._canvas.lay(hands, self._colours[clock])
        hubs, clock = discs(self._canvas, self._centres, 1.25 * width)
        self._canvas.lay(hubs, self._colours[clock])
        texts = [
            slot.marks(turned(float(turn)).said_in(self._lang))
            for slot, turn in zip(self._slots, turns, strict=True)
        ]
        self._canvas.lay_in_turn(joined(texts)[0], INK)


def _sector(face: Face, angle: float, backwards: bool) -> Marks:
    """Tint from twelve to the hand, the way the hand went; the edge under the hand is smoothed."""
    field = face.field
    at = int(np.searchsorted(field.angle, angle))
    part = slice(at, None) if backwards else slice(0, at)
    off = field.angle[part] - np.float32(angle)
    edge = np.abs(off) * field.distance[part]
    return Marks(field.pixels[part], face.coverage[part] * np.minimum(edge, 1))
