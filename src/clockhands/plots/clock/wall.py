"""The wall: each hand on a small clock of its own, wavelength below, turns made above."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clockhands.language import Language
from clockhands.plots.clock.canvas import Canvas, Marks
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import Area, Point, arranged
from clockhands.plots.clock.lettering import Lettering, Slot
from clockhands.plots.clock.palette import SECTOR_OPACITY
from clockhands.plots.clock.strokes import PolarField, disc, line, polar_field, ring, tip
from clockhands.plots.clock.wording import tokens, turned
from clockhands.plots.style import INK, PANEL, QUIET, RULE, hand_colours, mixed, rgb


class Face(NamedTuple):
    """A small clock: where it stands, and its pixels sorted by angle."""

    centre: Point
    field: PolarField
    coverage: Marks


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
        return Face(centre, field, Marks(field.pixels, edge))

    def draw(self, position: float) -> None:
        angles = self._hands.angle(position)
        turns = self._hands.turns(np.array([position], dtype=np.float64))[0]
        for i, face in enumerate(self._faces):
            self._lay_sector(face, float(angles[i]), bool(turns[i] < 0), i)
            end = tip(face.centre, 0.84 * self._radius, float(angles[i]))
            width = max(2.2, 3.2 * min(1.0, self._radius / 46 / self._unit)) * self._unit
            self._canvas.lay(line(self._canvas, face.centre, end, width), self._colours[i])
            self._canvas.lay(disc(self._canvas, face.centre, 1.25 * width), self._colours[i])
            self._slots[i].lay(turned(float(turns[i])).said_in(self._lang), INK)

    def _lay_sector(self, face: Face, angle: float, backwards: bool, i: int) -> None:
        """Tint from twelve to the hand, the way the hand went; the edge under the hand is smoothed."""
        field = face.field
        if backwards:
            first = int(np.searchsorted(field.angle, angle))
            part = slice(first, None)
            edge = (field.angle[part] - np.float32(angle)) * field.distance[part]
        else:
            last = int(np.searchsorted(field.angle, angle))
            part = slice(0, last)
            edge = (np.float32(angle) - field.angle[part]) * field.distance[part]
        share = face.coverage.coverage[part] * np.minimum(edge, 1)
        self._canvas.lay(Marks(field.pixels[part], share), self._tints[i])
