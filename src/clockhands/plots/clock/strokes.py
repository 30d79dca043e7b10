"""Anti-aliased shapes as marks: a pixel's coverage is read off its exact distance to the shape.

Coordinates are in pixels, x to the right and y down; the centre of the first pixel is (0.5, 0.5). Angles are
clockwise from twelve, in rad: the point at angle a is (x + r sin a, y - r cos a).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.plots.clock.canvas import Canvas, Marks
from clockhands.plots.clock.layout import Point

Numbers = NDArray[np.float32]


def tip(centre: Point, radius: float, angle: float) -> Point:
    """Where a hand of length ``radius`` ends."""
    return centre[0] + radius * float(np.sin(angle)), centre[1] - radius * float(np.cos(angle))


def line(canvas: Canvas, start: Point, end: Point, width: float) -> Marks:
    """A straight line with round ends."""
    return lines(canvas, start, np.array([end]), width)[0]


def lines(
    canvas: Canvas,
    starts: Point | NDArray[np.float64],
    ends: NDArray[np.float64],
    width: float | NDArray[np.float64],
) -> tuple[Marks, NDArray[np.intp]]:
    """Straight lines with round ends, to ``ends`` (lines, 2); ``starts`` and ``width`` of each or of all.

    Marks line after line, and which line each pixel belongs to. Lines that cross repeat pixels.
    """
    starts = np.broadcast_to(starts, ends.shape)
    steep = np.abs(ends - starts)[:, 1] > np.abs(ends - starts)[:, 0]
    # a runs along the axis that the line is closer to, b across it
    a0, a1 = (np.where(steep, points[:, 1], points[:, 0]) for points in (starts, ends))
    b0, b1 = (np.where(steep, points[:, 0], points[:, 1]) for points in (starts, ends))
    length = np.maximum(np.hypot(a1 - a0, b1 - b0), 1e-6)
    run, rise = (a1 - a0) / length, (b1 - b0) / length
    slope = np.divide(rise, run, out=np.zeros_like(run), where=run != 0)
    half = np.broadcast_to(np.asarray(width) / 2, length.shape)
    reach = half + 1
    first = np.floor(np.minimum(a0, a1) - reach)
    count = (np.ceil(np.maximum(a0, a1) + reach) - first).astype(np.intp)
    spread = int(np.ceil((reach * np.hypot(1, slope)).max(initial=1)))
    owner = np.repeat(np.arange(len(count)), count)
    along = np.arange(len(owner)) - (count.cumsum() - count - first)[owner]
    start_a, start_b, run, rise, most, covered = (
        each.astype(np.float32)[owner, None] for each in (a0, b0, run, rise, length, half + 0.5)
    )
    across = np.floor(b0[owner] + (along + 0.5 - a0[owner]) * slope[owner]).astype(np.float32)[:, None]
    across = across + np.arange(-spread, spread + 1, dtype=np.float32)
    along = along.astype(np.float32)[:, None]
    da, db = along + (np.float32(0.5) - start_a), across + (np.float32(0.5) - start_b)
    nearest = np.minimum(np.maximum(da * run + db * rise, 0), most)
    da, db = da - nearest * run, db - nearest * rise
    coverage = covered - np.sqrt(da * da + db * db)
    upright = steep[owner, None]
    x, y = np.where(upright, across, along), np.where(upright, along, across)
    corners, margin = np.concatenate([starts, ends]), reach.max(initial=0) + 2 * spread + 2
    page = np.array([canvas.width, canvas.height])
    on = _shown(canvas, x, y, coverage, within=bool(((corners >= margin) & (corners + margin < page)).all()))
    return _marks(canvas, x, y, coverage, on), np.broadcast_to(owner[:, None], on.shape)[on]


def disc(canvas: Canvas, centre: Point, radius: float) -> Marks:
    """A filled circle."""
    x, y, distance = _around(centre, radius)
    coverage = radius + np.float32(0.5) - distance
    return _marks(canvas, x, y, coverage, _shown(canvas, x, y, coverage, _fits(canvas, centre, radius)))


def discs(canvas: Canvas, centres: NDArray[np.float64], radius: float) -> tuple[Marks, NDArray[np.intp]]:
    """Filled circles of one size at ``centres`` (discs, 2): marks, and which disc each pixel belongs to.

    Where discs overlap a pixel goes to the one that covers it most.
    """
    reach = int(np.ceil(radius)) + 1
    steps = np.arange(-reach, reach + 1, dtype=np.float32)
    centre = centres.astype(np.float32)[:, :, None, None]
    x, y = np.floor(centre[:, 0]) + steps, np.floor(centre[:, 1]) + steps[:, None]
    distance = np.hypot(x + np.float32(0.5) - centre[:, 0], y + np.float32(0.5) - centre[:, 1])
    shape = distance.shape
    owner = np.broadcast_to(np.arange(len(centres))[:, None, None], shape)
    x, y = np.broadcast_to(x, shape), np.broadcast_to(y, shape)
    coverage = np.minimum(radius + np.float32(0.5) - distance, np.float32(1))
    on = (coverage > 0) & (x >= 0) & (x < canvas.width) & (y >= 0) & (y < canvas.height)
    pixels = y[on].astype(np.intp) * canvas.width + x[on].astype(np.intp)
    coverage, owner = coverage[on], owner[on]
    if not canvas.first_of(pixels).all():
        order = np.argsort(-coverage, kind="stable")
        order = order[canvas.first_of(pixels[order])]
        pixels, coverage, owner = pixels[order], coverage[order], owner[order]
    return Marks(pixels, coverage), owner


def ring(canvas: Canvas, centre: Point, radius: float, width: float) -> Marks:
    """The outline of a circle."""
    x, y, distance = _around(centre, radius + width)
    coverage = width / 2 + np.float32(0.5) - np.abs(distance - np.float32(radius))
    within = _fits(canvas, centre, radius + width)
    return _marks(canvas, x, y, coverage, _shown(canvas, x, y, coverage, within))


def _around(centre: Point, radius: float) -> tuple[Numbers, Numbers, Numbers]:
    """Columns ``(w,)``, rows ``(h, 1)`` and distances from the centre ``(h, w)`` of pixels round a circle."""
    x = np.arange(np.floor(centre[0] - radius - 1), np.ceil(centre[0] + radius + 1), dtype=np.float32)
    y = np.arange(np.floor(centre[1] - radius - 1), np.ceil(centre[1] + radius + 1), dtype=np.float32)[
        :, None
    ]
    distance = np.hypot(x + np.float32(0.5 - centre[0]), y + np.float32(0.5 - centre[1]))
    return x, y, distance


def _fits(canvas: Canvas, centre: Point, radius: float) -> bool:
    """Whether all pixels around a circle are on the page."""
    x, y, reach = *centre, radius + 3
    return x >= reach and y >= reach and x + reach < canvas.width and y + reach < canvas.height


def _shown(canvas: Canvas, x: Numbers, y: Numbers, coverage: Numbers, within: bool) -> NDArray[np.bool_]:
    """Which pixels are covered at all and on the page; ``within``: all of them are on it.

    ``x`` and ``y`` may be of any shapes that make the one of ``coverage`` together.
    """
    on = coverage > 0
    if within:
        return on
    return on & (x >= 0) & (x < canvas.width) & (y >= 0) & (y < canvas.height)


def _marks(canvas: Canvas, x: Numbers, y: Numbers, coverage: Numbers, on: NDArray[np.bool_]) -> Marks:
    pixels = (y.astype(np.intp) * canvas.width + x.astype(np.intp))[on]
    return Marks(pixels, np.minimum(coverage[on], np.float32(1)))


class PolarField(NamedTuple):
    """The pixels within a circle, each with its distance from the centre and its angle."""

    pixels: NDArray[np.intp]
    distance: Numbers
    angle: Numbers
    """Clockwise from twelve, rad in [0, 2 pi)."""


def polar_field(canvas: Canvas, centre: Point, radius: float) -> PolarField:
    """Every pixel of the page that a disc of this radius touches."""
    x, y, distance = _around(centre, radius)
    on = (distance < radius + 1) & (x >= 0) & (x < canvas.width) & (y >= 0) & (y < canvas.height)
    shape = distance.shape
    x, y, distance = np.broadcast_to(x, shape)[on], np.broadcast_to(y, shape)[on], distance[on]
    angle = np.arctan2(x + np.float32(0.5 - centre[0]), np.float32(centre[1] - 0.5) - y)
    angle[angle < 0] += np.float32(2 * np.pi)
    return PolarField(y.astype(np.intp) * canvas.width + x.astype(np.intp), distance, angle)


def fan(
    field: PolarField, angles: NDArray[np.float64], length: float, width: float
) -> tuple[Marks, NDArray[np.intp]]:
    """Hands of one length on one dial, any number at the cost of one: marks, and the hand of each pixel."""
    order = np.argsort(angles)
    around = angles[order].astype(np.float32)
    turn = np.float32(2 * np.pi)
    around = np.concatenate([around[-1:] - turn, around, around[:1] + turn])
    above = np.searchsorted(around, field.angle).clip(1, len(around) - 1)
    to_lower, to_upper = field.angle - around[above - 1], around[above] - field.angle
    aside = field.distance * np.sin(np.minimum(np.minimum(to_lower, to_upper), np.float32(np.pi / 2)))
    coverage = np.minimum(width / 2 + np.float32(0.5) - aside, length + np.float32(0.5) - field.distance)
    on = coverage > 0
    nearest = np.where(to_lower < to_upper, above - 1, above)[on] - 1
    return Marks(field.pixels[on], np.minimum(coverage[on], np.float32(1))), order[nearest % len(order)]
