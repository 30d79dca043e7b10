"""One hand drawn both ways: (sin, cos) turns clockwise from twelve, (cos, sin) the other way from three."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.hands import hands
from clockhands.errors import ClockhandsError
from clockhands.plots import hand_directions
from clockhands.plots.recorder import collisions, record


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tips_are_where_the_table_says(lang) -> None:
    angle = 0.3 * np.arange(6)
    picture = hand_directions(hands([0.3], range(6)), lang=lang)
    drawn = record(picture)
    for dial, (x, y) in zip(drawn.panels, ((np.sin, np.cos), (np.cos, np.sin)), strict=True):
        tips = [line for line in dial.lines if len(line.x) == 2][1:]
        assert np.allclose([line.x[1] for line in tips], 0.86 * x(angle))
        assert np.allclose([line.y[1] for line in tips], 0.86 * y(angle))
    assert drawn.says({"en": "anticlockwise", "zh": "逆时针"}[lang])
    assert collisions(picture) == []
    assert [one.id for one in picture.data] == ["hands"]


def test_too_many_positions_or_another_shape_are_refused() -> None:
    with pytest.raises(ClockhandsError, match="12 positions at most"):
        hand_directions(hands([0.3], range(13)))
    flat = hands([0.3], range(3))
    with pytest.raises(ClockhandsError, match="tips have shape"):
        hand_directions(type(flat)("hands", flat.name, flat.values[0], flat.axes[1:]))
