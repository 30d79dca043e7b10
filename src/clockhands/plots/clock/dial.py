"""Concentric dials, one for each hand, the fastest inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.plots.clock.canvas import Canvas, Marks, joined
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import Place, Point, roomy
from clockhands.plots.clock.lettering import Lettering
from clockhands.plots.clock.strokes import PolarField, discs, line, lines, polar_field, tip
from clockhands.plots.clock.wording import short
from clockhands.plots.style import PAGE, QUIET, RULE, hand_colours

Floats = NDArray[np.float64]

QUARTERS = ("0", "¼", "½", "¾")
TRAIL_OPACITY = 0.72
_TO_NEXT_LANE = 8.0
"""More than a turn, rad: pixels are sorted by lane and, within a lane, by angle."""
_MORE = 1e-4
"""rad: more than angles in float32 are off."""


class Dial:
    """Rings once; trails, wavelengths (if asked for), lines and tips for every frame."""

    def __init__(
        self, canvas: Canvas, hands: Hands, place: Place, trail: int, lettering: Lettering | None = None
    ):
        """``lettering`` writes the wavelengths on the rings; without it they are left to the wall."""
        self._canvas, self._hands, self._place, self._trail = canvas, hands, place, trail
        self._colours = hand_colours(hands.count)
        self.radii = ring_radii(hands.count) * place.radius
        gap = float(self.radii[1] - self.radii[0]) if hands.count > 1 else place.radius
        field = polar_field(canvas, place.centre, place.radius + 3 * place.unit)
        lay_rings(canvas, field, self.radii, place.unit)
        self._lanes = Lanes(field, self.radii, min(3.4 * place.unit, 0.6 * gap))
        self._dot = min(4.6 * place.unit, 0.44 * gap)
        self._labels = (
            WavelengthLabels(canvas, hands.wavelength, self.radii, place, lettering) if lettering else None
        )

    def draw(self, position: float) -> None:
        centre, unit = self._place.centre, self._place.unit
        angles = self._hands.angle(position)
        marks, lane = self._lanes.trails(angles, *trail_reach(self._hands, position, self._trail))
        self._canvas.lay(marks, self._colours[lane], TRAIL_OPACITY)
        if self._labels:
            self._labels.draw()
        tips = tips_of(centre, self.radii, angles)
        marks, hand = lines(self._canvas, centre, tips[::-1], 1.7 * unit)
        self._canvas.lay_in_turn(marks, self._colours[::-1][hand], 0.85)
        lay_dots(self._canvas, tips, self._dot, 1.2 * unit, self._colours)


def ring_radii(count: int) -> Floats:
    """Radii of the dials as shares of the outermost, evenly spaced, with room for the hub inside."""
    innermost = max(0.165, min(0.55, 1 / count + 0.05))
    return np.linspace(innermost, 1.0, count) if count > 1 else np.ones(1)


def tips_of(centre: Point | Floats, radii: float | Floats, angles: Floats) -> Floats:
    """Where the hands end, ``(hands, 2)``, pixels; ``centre`` and ``radii`` of all, or of each."""
    upwards = np.stack([np.sin(angles), -np.cos(angles)], axis=1)
    return np.asarray(centre) + np.reshape(radii, (-1, 1)) * upwards


def lay_dots(canvas: Canvas, centres: Floats, radius: float, outline: float, colours: Floats) -> None:
    """Dots, each with an outline in the colour of the page that sets it off from what is beneath."""
    canvas.lay(discs(canvas, centres, radius + outline)[0], PAGE)
    marks, owner = discs(canvas, centres, radius)
    canvas.lay(marks, colours[owner])


def trail_reach(hands: Hands, position: float, trail: int) -> tuple[Floats, Floats]:
    """How far each trail goes back (rad), and 1 for hands that went clockwise, -1 for the others."""
    steps = min(trail, abs(position))  # no hand moved before position 0
    return np.abs(hands.speed) * steps, np.where(hands.speed * position < 0, -1.0, 1.0)


def lay_rings(canvas: Canvas, field: PolarField, radii: Floats, unit: float) -> None:
    """Thin circles at ``radii``, which rise."""
    off = np.abs(field.distance - radii.astype(np.float32)[_nearest(radii, field.distance)])
    coverage = np.clip(np.float32(0.55 * unit + 0.5) - off, 0, 1)
    on = coverage > 0
    canvas.lay(Marks(field.pixels[on], coverage[on]), RULE)


def lay_quarters(canvas: Canvas, place: Place, lettering: Lettering) -> None:
    """Twelve ticks outside the dial and the names of the quarter turns."""
    unit = place.unit
    for hour in range(12):
        angle = hour * np.pi / 6
        start, end = (tip(place.centre, place.radius + out * unit, angle) for out in (8, 19))
        canvas.lay(line(canvas, start, end, 1.7 * unit), QUIET, 0.8)
    for quarter, name in enumerate(QUARTERS):
        x, y = tip(place.centre, place.radius + 34 * unit, quarter * np.pi / 2)
        canvas.lay(lettering.marks(canvas, x, y + 0.36 * lettering.size, name, "middle"), QUIET)


class WavelengthLabels:
    """Wavelengths in tokens along the six o'clock spoke, as many as have room, above the trails."""

    def __init__(self, canvas: Canvas, wavelength: Floats, radii: Floats, place: Place, lettering: Lettering):
        self._canvas = canvas
        pads: list[Marks] = []
        texts: list[Marks] = []
        for i in roomy(radii, 1.25 * lettering.size):
            x, y, text = place.centre[0], place.centre[1] + float(radii[i]), short(float(wavelength[i]))
            half = lettering.width(text) / 2 + 2 * place.unit
            pads.append(line(canvas, (x - half, y), (x + half, y), lettering.size))
            texts.append(lettering.marks(canvas, x, y + 0.36 * lettering.size, text, "middle"))
        covered = [
            np.unique(np.concatenate([pad.pixels, text.pixels]))
            for pad, text in zip(pads, texts, strict=True)
        ]
        apart = len(np.unique(np.concatenate(covered))) == sum(map(len, covered))
        self._pads, self._texts = ([joined(pads)[0]], [joined(texts)[0]]) if apart else (pads, texts)

    def draw(self) -> None:
        for pad, text in zip(self._pads, self._texts, strict=True):
            self._canvas.lay(pad, PAGE)
            self._canvas.lay(text, QUIET)


class Lanes:
    """The pixels of each ring's lane, for trails that fade behind the hand."""

    def __init__(self, field: PolarField, radii: Floats, width: float):
        nearest = _nearest(radii, field.distance)
        off = np.abs(field.distance - radii.astype(np.float32)[nearest])
        coverage = np.clip(np.float32(width / 2 + 0.5) - off, 0, 1)
        on = coverage > 0
        key = nearest[on] * _TO_NEXT_LANE + field.angle[on]
        order = np.argsort(key, kind="stable")
        self._key, self._lane = key[order], nearest[on][order]
        self._pixels, self._coverage = field.pixels[on][order], coverage[on][order]
        self._angle, self._lanes = field.angle[on][order], len(radii)

    def arcs(self, angles: Floats, reach: Floats) -> tuple[Marks, NDArray[np.intp]]:
        """Arcs that end at ``angles`` and began ``reach`` (rad, at most a turn) before, with their lanes."""
        some = self._near(angles - reach, angles)
        lane = self._lane[some]
        on = _behind(angles, self._angle[some], lane) < reach.astype(np.float32)[lane]
        return Marks(self._pixels[some][on], self._coverage[some][on]), lane[on]

    def trails(self, angles: Floats, reach: Floats, forward: Floats) -> tuple[Marks, NDArray[np.intp]]:
        """Marks of all trails, and the lane of each pixel.

        ``angles``  where the hands are, ``reach`` how far their trails go back (rad; of more than one turn
        the newest is seen), ``forward`` 1 for clockwise hands, -1 for the others.
        """
        some = self._near(
            np.where(forward > 0, angles - reach, angles), np.where(forward > 0, angles, angles + reach)
        )
        lane = self._lane[some]
        behind = _behind(angles, self._angle[some], lane, forward)
        fade = 1 - behind / np.maximum(reach, 1e-9).astype(np.float32)[lane]
        on = fade > 0
        coverage = (self._coverage[some][on] * fade[on]).astype(np.float32)
        return Marks(self._pixels[some][on], coverage), lane[on]

    def _near(self, low: Floats, high: Floats) -> NDArray[np.intp]:
        """Indices of the pixels of each lane between two angles, rad, and of a few more beside these."""
        low, high, turn = low - _MORE, high + _MORE, 2 * np.pi
        whole = high - low >= turn
        below, above = (low < 0) & ~whole, (high > turn) & ~whole  # what is past twelve is a range of its own
        low, high = np.where(whole, 0.0, low), np.where(whole, turn + _MORE, high)
        lane = np.arange(self._lanes) * _TO_NEXT_LANE
        starts = np.concatenate([lane + np.maximum(low, 0), lane + np.where(below, low + turn, 0)])
        other = np.where(below, turn + _MORE, np.where(above, high - turn, -1))
        ends = np.concatenate([lane + np.minimum(high, turn + _MORE), lane + other])
        first = np.searchsorted(self._key, starts)
        counts = np.maximum(np.searchsorted(self._key, ends, side="right") - first, 0)
        return np.repeat(first - counts.cumsum() + counts, counts) + np.arange(counts.sum())


def _behind(
    angles: Floats, angle: NDArray[np.float32], lane: NDArray[np.intp], forward: Floats | None = None
) -> NDArray[np.float32]:
    """How far back from the hand of its lane each pixel lies, rad in [0, 2 pi)."""
    behind = angles.astype(np.float32)[lane] - angle
    if forward is not None:
        behind *= forward.astype(np.float32)[lane]
    behind[behind < 0] += np.float32(2 * np.pi)
    return behind


def _nearest(radii: Floats, distance: NDArray[np.float32]) -> NDArray[np.intp]:
    """Which of the rising ``radii`` is nearest to each distance."""
    return np.searchsorted((radii[1:] + radii[:-1]) / 2, distance).astype(np.intp)
