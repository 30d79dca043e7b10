"""Many hands: one map with the pair as radius (fastest inside) and the angle around, instead of rings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.plots.clock.canvas import Canvas
from clockhands.plots.clock.dial import (
    Floats,
    Lanes,
    WavelengthLabels,
    lay_dots,
    lay_rings,
    tips_of,
    trail_reach,
)
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import MOST_TIPS, Place
from clockhands.plots.clock.lettering import Lettering
from clockhands.plots.clock.strokes import polar_field
from clockhands.plots.style import hand_colours

_INNERMOST = 0.165
_TRAIL_OPACITY = 0.4


class PolarMap:
    """Rings at round wavelengths once; trails as one image and tips as dots for every frame.

    Where hands are closer than pixels each pixel shows the hand nearest to it, and every k-th tip is drawn.
    """

    def __init__(self, canvas: Canvas, hands: Hands, place: Place, trail: int, lettering: Lettering):
        self._canvas, self._hands, self._place, self._trail = canvas, hands, place, trail
        self._colours = hand_colours(hands.count)
        self.radii = polar_radii(hands.count) * place.radius
        gap = float(self.radii[1] - self.radii[0])
        field = polar_field(canvas, place.centre, place.radius + 3 * place.unit)
        marked, radii = round_rings(hands.wavelength, self.radii)
        lay_rings(canvas, field, radii, place.unit)
        self._labels = WavelengthLabels(canvas, marked, radii, place, lettering)
        self._lanes = Lanes(field, self.radii, min(max(gap, 1.0), 3.4 * place.unit))
        self._dot = max(1.8, min(4.6, 0.44 * gap)) * place.unit
        self._tips = some_of(hands.count)

    def draw(self, position: float) -> None:
        angles = self._hands.angle(position)
        marks, lane = self._lanes.trails(angles, *trail_reach(self._hands, position, self._trail))
        self._canvas.lay(marks, self._colours[lane], _TRAIL_OPACITY)
        self._labels.draw()
        tips = tips_of(self._place.centre, self.radii[self._tips], angles[self._tips])
        lay_dots(self._canvas, tips, self._dot, 0.9 * self._place.unit, self._colours[self._tips])


def polar_radii(count: int) -> Floats:
    """Radii of the hands as shares of the outermost."""
    return np.linspace(_INNERMOST, 1.0, count)


def some_of(count: int, most: int = MOST_TIPS) -> NDArray[np.intp]:
    """Indices of every k-th of ``count`` hands, so that at most ``most`` are drawn one by one."""
    return np.arange(count)[:: -(-count // most)]


def round_rings(wavelength: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """Wavelengths whose rings are drawn, and their radii: the first, the last, and powers of ten between.

    >>> wavelengths, radii = round_rings(np.array([5.0, 50.0, 500.0]), np.array([1.0, 2.0, 3.0]))
    >>> wavelengths.tolist(), radii.round(2).tolist()
    ([5.0, 10.0, 100.0, 500.0], [1.0, 1.3, 2.3, 3.0])
    """
    turning = np.isfinite(wavelength)
    if turning.sum() < 2:
        return wavelength[[0, -1]], radii[[0, -1]]
    logs = np.log10(wavelength[turning])
    powers = np.arange(np.ceil(logs[0] + 1e-9), np.floor(logs[-1] - 1e-9) + 1)
    if len(powers) < 2:
        some = np.linspace(0, len(wavelength) - 1, 6).round().astype(np.intp)
        return wavelength[some], radii[some]
    between = np.interp(powers, logs, radii[turning])
    marked = np.concatenate([wavelength[:1], 10.0**powers, wavelength[-1:]])
    return marked, np.concatenate([radii[:1], between, radii[-1:]])
