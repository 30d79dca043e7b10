"""The axes and units that results share, named once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import Axis
from clockhands.language import Text

TOKENS = Text("tokens", "词元")
RADIANS = Text("rad", "弧度")
RADIANS_PER_TOKEN = Text("rad / token", "弧度 / 词元")
TURNS = Text("turns", "圈")
LOGITS = Text("logits", "得分")
NATS_A_TOKEN = Text("nats a token", "奈特 / 词元")


def position_axis(positions: NDArray[Any], name: Text | None = None) -> Axis:
    """Positions, tokens; ``name`` where "position" alone would not say whose."""
    return Axis(name or Text("position", "位置"), positions, TOKENS)


def distance_axis(distances: NDArray[Any]) -> Axis:
    """Query minus key position, tokens."""
    return Axis(Text("distance", "距离"), distances, TOKENS)


def pair_axis(pairs: int) -> Axis:
    """One index per hand, the first hand is 0."""
    return Axis(Text("pair", "维度对"), np.arange(pairs))


def dimension_axis(width: int) -> Axis:
    """One index per column of a table."""
    return Axis(Text("dimension", "维度"), np.arange(width))


def head_axis(heads: int) -> Axis:
    """One index per attention head."""
    return Axis(Text("head", "注意力头"), np.arange(heads))
