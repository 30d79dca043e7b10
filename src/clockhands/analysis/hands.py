"""What a set of hands says at each position."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import pair_axis, position_axis
from clockhands.analysis.blocks import parts
from clockhands.analysis.exact_angle import angles, turns_per_token
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.language import Text
from clockhands.memory import require_memory


def hands(inv_freq: ArrayLike, positions: ArrayLike) -> Labelled:
    """Tips of all hands, ``(positions, pairs, 2)`` float64, as the code stores them: (sin, cos) = (x, y).

    Drawn so, every hand points to twelve at position 0 and turns clockwise. ``inv_freq``: ``(pairs,)``, rad /
    token.

    >>> hands([1.0, 0.1], [0, 1]).values.round(4).tolist()
    [[[0.0, 1.0], [0.0, 1.0]], [[0.8415, 0.5403], [0.0998, 0.995]]]
    """
    speed, at = inputs.speeds(inv_freq), inputs.places(positions)
    require_memory(Text("the hands", "这些指针"), (len(at), len(speed), 2))
    turning = turns_per_token(speed)
    tips = np.empty((len(at), len(speed), 2))
    for part in parts(len(at), len(speed)):
        angle = angles(turning, at[part])
        np.sin(angle, out=tips[part, :, 0])
        np.cos(angle, out=tips[part, :, 1])
    axes = (
        position_axis(np.asarray(positions)),
        pair_axis(len(speed)),
        Axis(Text("part", "分量"), np.array(["sin", "cos"])),
    )
    return Labelled("hands", Text("clock hands", "时钟指针"), tips, axes)
