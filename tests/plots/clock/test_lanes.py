"""Trails look only at pixels near the hand: the same ones as all pixels give."""

import numpy as np
import pytest

from clockhands.plots.clock.canvas import Canvas
from clockhands.plots.clock.dial import Lanes, _behind
from clockhands.plots.clock.strokes import polar_field

RADII = np.array([12.0, 20.0, 28.0, 36.0])
TURN = 2 * np.pi


def by_all(lanes, angles, reach, forward):
    """Pixel and coverage of every pixel of every lane that lies behind its hand and within reach."""
    behind = _behind(angles, lanes._angle, lanes._lane, forward)
    fade = 1 - behind / np.maximum(reach, 1e-9).astype(np.float32)[lanes._lane]
    return dict(zip(lanes._pixels[fade > 0], (lanes._coverage * fade)[fade > 0], strict=True))


@pytest.mark.parametrize("longest", [1e-9, 0.3, 3.0, 6.28, TURN, 100.0])
def test_only_pixels_near_the_hand_are_looked_at(longest):
    canvas = Canvas(90, 90, "#ffffff")
    lanes = Lanes(polar_field(canvas, (45.0, 45.0), 40.0), RADII, 3.4)
    random = np.random.default_rng(0)
    special = np.array([0.0, 1e-8, np.pi, np.nextafter(TURN, 0)])
    for angles in (special, *random.uniform(0, TURN, (12, 4))):
        reach = longest * np.array([1.0, 0.5, 0.999, 0.0])
        forward = np.where(random.random(4) < 0.5, -1.0, 1.0)
        marks, lane = lanes.trails(angles, reach, forward)
        expected = by_all(lanes, angles, reach, forward)
        assert dict(zip(marks.pixels, marks.coverage, strict=True)) == expected
        assert len(marks.pixels) == len(expected) == len(lane)
        arcs, _ = lanes.arcs(angles, reach)
        behind = _behind(angles, lanes._angle, lanes._lane)
        assert set(arcs.pixels) == set(lanes._pixels[behind < reach.astype(np.float32)[lanes._lane]])
