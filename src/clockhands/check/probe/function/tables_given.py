"""Functions that are given cos and sin: which layout of them a function wants, and what it does with it.

The probe makes the tables, of hands whose speeds it knows. A function that is right turns each pair of
dimensions by the angle of its own hand; laid out for another pairing, a pair gets two angles, or another
hand's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from clockhands.check.form import LayerForm, RotaryDims, TableLayout
from clockhands.check.probe.findings import places
from clockhands.check.probe.findings import turning as say
from clockhands.check.probe.function.calling import Refused, table_speeds
from clockhands.check.probe.function.hands import Hands, turned_hands
from clockhands.check.probe.function.rotation import turns
from clockhands.check.probe.function.starting import cannot
from clockhands.check.probe.function.study import Study
from clockhands.check.wording import TABLES
from clockhands.errors import ClockhandsError

SAME = 1e-3
"""Relative: neighbouring hands of a head of 4096 are 0.4 % apart, and 16 bits of cos and sin leave less."""
QUARTER = 0.05
"""rad, about a quarter turn: cos and sin taken for each other turn position 0 by exactly that."""


@dataclass(frozen=True)
class Trial:
    """What one layout of the tables makes of a function.

    how   ``right``, ``still`` (nothing turns), ``others`` (pairs turn, by the angles of other hands),
          ``crossed`` (cos and sin taken for each other), ``broken`` (no rotation by pairs)
    """

    layout: TableLayout
    how: str
    study: Study
    hands: Hands | None = None


def tables_given_form(study: Study) -> LayerForm:
    """The normal form; frequencies are the caller's and stay None. Sets ``study.asked`` to what is right."""
    trials = [_tried(study, layout) for layout in study.asked.caller.signature.tables]
    refusals = [each for each in trials if isinstance(each, Refused)]
    trials = [each for each in trials if isinstance(each, Trial)]
    if not trials:
        raise cannot(refusals[0], study.asked.caller.signature.text) from refusals[0].error
    right = [each.layout for each in trials if each.how == "right"]
    study.facts["tables"] = right
    best = next((each for each in trials if each.how == "right"), trials[0])
    study.asked = best.study.asked
    width = study.asked.caller.head_dim
    if best.how == "right" and best.hands is not None:
        signs = np.sign(best.hands.speeds)
        study.facts["direction"] = "forward" if (signs > 0).all() else "backward"
        where = _narrower(study)
        turned = 2 * len(best.hands.speeds)
        return LayerForm(
            layers=(0,), family="rope", layout=best.hands.layout, head_dim=width,  # type: ignore[arg-type]
            rotary_dim=turned if where is None else None, rotary_dims=where or "whole",
            attention_factor=best.hands.amplitude, table_layout=best.layout, source="measured",
        )  # fmt: skip
    _say(study, trials)
    family = "none" if all(each.how == "still" for each in trials) else "other"
    return LayerForm(layers=(0,), family=family, head_dim=width, source="measured")


def _tried(study: Study, layout: TableLayout) -> Trial | Refused:
    """What comes of tables so laid out."""
    asked = study.asked.with_tables(layout)
    mine = replace(study, asked=asked, facts={}, found=[])
    try:
        found = turns(asked)
    except Refused as refusal:
        return refusal
    if not all(turn.linear for turn in found.values()):
        raise ClockhandsError(
            "the function does more than turn vectors: the sum of two does not become the sum of what they "
            "become. Give the part of it that turns them",
            "这个函数不只是转动向量：两个向量之和的结果不等于各自结果之和。请只给出其中转动向量的部分",
        )
    if not any(turn.pairs for turn in found.values()):
        return Trial(layout, "still", mine)
    hands = turned_hands(mine, found)
    if hands is None:
        return Trial(layout, "broken", mine)
    wanted = table_speeds(asked.caller.turning or asked.caller.head_dim)
    speeds = np.abs(hands.speeds)
    at_start = np.angle(hands.seen([[0]], asked)[0])
    if (np.abs(np.abs(at_start) - np.pi / 2) < QUARTER).all():
        return Trial(layout, "crossed", mine, hands)
    if len(speeds) != len(wanted) or not np.allclose(speeds, wanted, rtol=SAME, atol=0):
        return Trial(layout, "others", mine, hands)
    return Trial(layout, "right", mine, hands)


def _narrower(study: Study) -> RotaryDims | None:
    """Where in the head narrower tables turn it; None where the function takes none."""
    whole = study.asked.caller.head_dim
    part = whole // 4 * 2
    if part < 2 or part == whole:
        return None
    asked = study.asked.with_tables(study.asked.caller.tables, part)
    try:
        found = turns(asked)
    except Refused:
        return None
    mine = replace(study, asked=asked, facts={}, found=[])
    hands = turned_hands(mine, found) if any(turn.pairs for turn in found.values()) else None
    if hands is None or len(hands.speeds) != part // 2:
        return None
    if not np.allclose(np.abs(hands.speeds), table_speeds(part), rtol=SAME, atol=0):
        return None
    return "prefix" if hands.first == 0 else "suffix"


def _say(study: Study, trials: list[Trial]) -> None:
    """What is wrong in every layout."""
    if all(each.how == "still" for each in trials):
        study.say(
            places.IGNORED, "error", ("cos", "sin"),
            "cos and sin are ignored: vectors come back as they went in",
            "cos 和 sin 被忽略：向量原样返回",
            ("turn each pair of dimensions by its cos and sin", "用 cos 和 sin 转动每一对维度"),
        )  # fmt: skip
        return
    crossed = next((each for each in trials if each.how == "crossed"), None)
    if crossed is not None:
        study.say(
            say.CROSSED, "error", ("cos", "sin"),
            "where cos is 1 and sin is 0 vectors are turned by a quarter: the two are taken for each other",
            "在 cos 为 1、sin 为 0 处，向量被转动四分之一圈：两者被弄反了",
            ("hand over cos and sin in the order of the arguments", "按参数的顺序传入 cos 和 sin"),
        )  # fmt: skip
        return
    first = trials[0]
    if first.hands is None or first.study.found:
        study.found += first.study.found
        return
    got, wanted = np.abs(first.hands.speeds), table_speeds(study.asked.caller.head_dim)
    count = min(len(got), len(wanted))
    at = int(np.argmax(np.abs(got[:count] - wanted[:count]) > SAME * wanted[:count])) if count else 0
    order = TABLES[first.layout]
    pair = first.hands.pairs[at]
    study.say(
        say.PAIRING, "error", ("cos", "sin"),
        f"with cos and sin laid out as {order.en}, dimensions {pair} turn by the angle of another hand: "
        f"{got[at]:.4g} rad / token, and not {wanted[at]:.4g}",
        f"cos 和 sin {order.zh}时，维度 {pair} 按另一根指针的角度转动：{got[at]:.4g} 弧度 / 词元，"
        f"而不是 {wanted[at]:.4g}",
        ("lay cos and sin out as the pairs are: halves beside rotate_half, neighbours beside even and odd",
         "cos 和 sin 的排列应与配对一致：rotate_half 用前后对半，奇偶切片用相邻排列"),
    )  # fmt: skip
