"""Odd widths of tables, and scores that must not change when all positions move together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clockhands.check.finding import SEVERITIES
from clockhands.check.probe.findings import turning as say
from clockhands.check.probe.function.calling import Refused
from clockhands.check.probe.function.study import Study

SHIFTS = (0, 1000, 100_000)
APART = 5
MOVED = 0.02
"""Of the lengths of both vectors: float32 angles at 100000 leave 0.004."""


def check_shift(study: Study) -> None:
    """The score of a query five tokens after a key, at several places of the text."""
    signature = study.asked.caller.signature
    worst = SEVERITIES[0]
    if study.asked.reach != "any" or not {"q", "k"} <= set(signature.returned):
        return
    if study.facts.get("length_dependent") or any(finding.severity == worst for finding in study.found):
        return  # what is wrong was named already
    scores: list[float] = []
    size = 1.0
    for shift in SHIFTS:
        try:
            answer = study.asked.answer(np.array([[shift, shift + APART]]))
        except Refused:
            break
        q, k = answer["q"][0, 1, 0], answer["k"][0, 0, 0]
        scores.append(float(q @ k))
        size = size if len(scores) > 1 else max(float(np.linalg.norm(q) * np.linalg.norm(k)), 1e-30)
    if len(scores) > 1 and max(scores) - min(scores) > MOVED * size:
        listed = ", ".join(f"{score:.4f}" for score in scores)
        study.say(
            say.SHIFT, "error", ("q", "k"),
            f"a query {APART} tokens after a key scores {listed} at shifts 0, 1,000 and 100,000",
            f"查询在键之后 {APART} 个词元，平移 0、1,000、100,000 时得分为 {listed}",
            ("turn both by the same angles, and let no length depend on the place",
             "两者按相同的角度转动，长度不应取决于位置"),
        )  # fmt: skip


def check_odd_width(study: Study) -> None:
    """A table one column wider or narrower, where the width is the caller's to choose."""
    caller = study.asked.caller
    if caller.head_dim % 2 or not caller.signature.takes("head_dim"):
        return
    odd = replace(study.asked, caller=replace(caller, head_dim=caller.head_dim + 1, seen=set()))
    width = caller.head_dim + 1
    problem = ("", "")
    try:
        got = odd.codes(np.arange(8)).shape[-1]
        if got != width:
            problem = (f"comes back {got} wide", f"返回的宽度是 {got}")
    except Refused as refusal:
        problem = (f"fails: {refusal.en}", f"失败：{refusal.zh}")
    if problem[0]:
        study.say(
            say.ODD, "warning", ("head_dim",), f"a table {width} wide {problem[0]}",
            f"宽度为 {width} 的表{problem[1]}",
            ("give cos floor(d / 2) columns and sin the others, or refuse odd widths in one sentence",
             "cos 用 floor(d / 2) 列，其余给 sin；或用一句话拒绝奇数宽度"),
        )  # fmt: skip
