"""Looking at a clock picture: which colour is where."""

from __future__ import annotations

import numpy as np

from clockhands.plots.clock.layout import Settings, layout
from clockhands.plots.clock.strokes import tip
from clockhands.plots.style import hand_colours

SMALL = (300, 300)


def dial(size=SMALL, wall=False):
    """Where the dial of a picture of this size stands."""
    return layout(Settings(size, wall, 6, "en", "")).dial


def at(picture, place, share, angle):
    """The colour at ``share`` of the dial's radius, ``angle`` clockwise from twelve."""
    x, y = tip(place.centre, share * place.radius, angle)
    return np.asarray(picture.convert("RGB"))[int(y), int(x)].astype(int)


def is_hand(colour, hand, count, within=12):
    """Whether a colour is that of hand number ``hand`` of ``count``."""
    return np.abs(colour - hand_colours(count)[hand]).max() <= within


def differing(picture, other):
    """How many pixels differ."""
    return int((np.asarray(picture.convert("RGB")) != np.asarray(other.convert("RGB"))).any(axis=2).sum())
