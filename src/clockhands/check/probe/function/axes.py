"""Positions of three axes: which hands follow time, height and width."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands.check.probe.findings import places as say
from clockhands.check.probe.function.hands import Hands
from clockhands.check.probe.function.study import Study

STEP = 1
"""Tokens along one axis: the slowest hand in use turns by 1e-9 rad there."""
NAMES = (("time", "时间"), ("height", "高度"), ("width", "宽度"))


def axes_followed(study: Study, hands: Hands) -> dict[str, Any]:
    """``mrope_section`` and ``mrope_interleaved`` of the normal form; nothing where something is wrong."""
    turning = np.flatnonzero(hands.speeds)
    moving = np.zeros((3, len(hands.speeds)), bool)
    for axis in range(3):
        asked = study.asked.along(axis)
        start, end = (hands.seen([[place]], asked)[0] for place in (0, STEP))
        turned = np.angle(end * start.conj())
        moving[axis] = np.abs(turned) > 0.5 * np.abs(hands.speeds) * STEP
    moving &= hands.speeds != 0
    still = [NAMES[axis] for axis in range(3) if not moving[axis].any()]
    if still:
        en, zh = " and ".join(name for name, _ in still), "和".join(name for _, name in still)
        _say(
            study, f"{en} {'is' if len(still) == 1 else 'are'} ignored: moving along it turns no hand",
            f"{zh}被忽略：沿它移动时没有指针转动",
        )  # fmt: skip
        return {}
    count = moving.sum(axis=0)[turning]
    if (count != 1).any():
        hand = int(turning[np.argmax(count != 1)])
        axes = [NAMES[axis][0] for axis in range(3) if moving[axis, hand]]
        _say(
            study, f"hand {hand} follows {', '.join(axes) or 'no axis'}: each must follow one",
            f"第 {hand} 根指针跟随 {len(axes)} 个轴：每根应恰好跟随一个",
        )  # fmt: skip
        return {}
    axis_of = moving[:, turning].argmax(axis=0)
    return {
        "mrope_section": tuple(int((axis_of == axis).sum()) for axis in range(3)),
        "mrope_interleaved": bool((np.diff(axis_of) < 0).any()),
    }


def _say(study: Study, en: str, zh: str) -> None:
    study.say(
        say.AXES, "error", ("axes",), en, zh,
        ("give each hand one axis: mrope_section says how many have which",
         "每根指针对应一个轴：mrope_section 说明各轴有几根"),
    )  # fmt: skip
