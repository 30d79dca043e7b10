"""T5's buckets, read from where a bias changes along the distance."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import bias as say
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.study import Study
from clockhands.check.saying import number
from clockhands.formulas.buckets import t5_thresholds

if TYPE_CHECKING:
    from clockhands.check.probe.function.bias import Sides

DISTANCES = (128, 64, 256, 512, 32, 100, 200, 20, 800, 50, 1000, 500, 300, 150)
"""Largest distances that are tried, tokens, the likelier first."""


def bucket_form(study: Study, few: Sides, many: Sides | Refused) -> LayerForm:
    """The buckets of a bias that is no line; ``many``: the same over long texts, or why it refused."""
    if isinstance(many, Refused):
        if isinstance(many.error, IndexError | ValueError | RuntimeError):
            _say_unclamped(study, f"far distances raise: {many.en}", f"较远的距离会抛出异常：{many.zh}")
        return LayerForm(layers=(0,), family="other", source="measured")
    past, future = steps(many.past), steps(many.future)
    masked = bool(np.isnan(many.future[:, 1:]).all())
    if not past and future and not masked:
        study.say(
            say.SIGN, "error", ("distance",),
            "all keys before the query share one bias, and keys after it are told apart: the sign is turned",
            "查询之前的键都得到同一个偏置，之后的键反而被区分：符号反了",
            ("T5 takes key position - query position", "T5 用键位置减查询位置"),
        )  # fmt: skip
        return LayerForm(layers=(0,), family="other", source="measured")
    if not past:
        return LayerForm(layers=(0,), family="other", source="measured")
    both = bool(future) and not masked
    one_way = len(past) + 1
    buckets = 2 * one_way if both else one_way
    exact = next((n for n, (a, b) in enumerate(pairwise(past)) if b - a > 1), None)
    exact = len(past) if exact is None else exact + 1
    reach = _max_distance(past, buckets, both)
    form = LayerForm(
        layers=(0,),
        family="t5",
        num_buckets=buckets,
        max_distance=reach,
        bidirectional=both,
        source="measured",
    )
    if reach is not None:
        _judge_sides(study, many, one_way, both)
        return form
    if exact + 2 < len(past) and one_way > 2 * exact and past[-1] > many.past.shape[1] / 2:
        _say_unclamped(
            study, f"new buckets go on past distance {number(past[-1])}: {one_way} in one direction, "
                f"{exact} of them exact",
            f"距离超过 {number(past[-1])} 后仍有新的桶：单方向 {one_way} 个，其中 {exact} 个各对应一个距离",
        )  # fmt: skip
    elif exact + 2 < len(past) and exact >= 4:
        study.say(
            say.LOGARITHM, "error", ("max_distance",),
            f"buckets change at distances {_some(past[exact:])}, which no max_distance of T5 gives for "
            f"{one_way}",
            f"桶在距离 {_some(past[exact:])} 处变化，T5 的任何 max_distance 在 {one_way} 个桶时都不会这样",
            ("half of the buckets are exact, the others log(r / exact) / log(max_distance / exact)",
             "一半的桶各对应一个距离，其余按 log(r / exact) / log(max_distance / exact)"),
        )  # fmt: skip
    else:
        return LayerForm(layers=(0,), family="other", source="measured")
    return form


def steps(values: Floats) -> list[int]:
    """Distances where the bias of some head is not what it was one before.

    >>> steps(np.asarray([[0.0, 2.0, 5.0, 5.0, 7.0]]))
    [1, 2, 4]
    """
    moved = ~np.isclose(values[:, 1:], values[:, :-1], rtol=1e-6, atol=1e-9, equal_nan=True)
    return [int(at) + 1 for at in np.flatnonzero(moved.any(axis=0))]


def _max_distance(past: list[int], buckets: int, both: bool) -> int | None:
    """The largest distance that gives these steps; rounding of a logarithm may move one by 1."""
    exact = (buckets // 2 if both else buckets) // 2
    if exact < 2 or past[: exact - 1] != list(range(1, exact)):
        return None
    for distance in (*DISTANCES, *range(exact + 1, 1200)):
        if distance <= exact:
            continue
        wanted = [*range(1, exact + 1), *t5_thresholds(buckets, distance, both)]
        if len(wanted) == len(past) and all(abs(a - b) <= 1 for a, b in zip(wanted, past, strict=True)):
            return distance
    return None


def _judge_sides(study: Study, many: Sides, one_way: int, both: bool) -> None:
    """Where bucket numbers come back themselves, the upper half is for keys after the query."""
    if study.asked.caller.signature.returned[0] != "bucket" or not both:
        return
    if float(many.past[0, 1]) >= one_way > float(many.future[0, 1]):
        study.say(
            say.SIGN, "error", ("distance",),
            f"a key one before the query is in bucket {int(many.past[0, 1])}, one after it in "
            f"{int(many.future[0, 1])}: T5 has them the other way round",
            f"查询之前一位的键在第 {int(many.past[0, 1])} 桶，之后一位的在第 {int(many.future[0, 1])} 桶："
            f"与 T5 相反",
            ("T5 takes key position - query position", "T5 用键位置减查询位置"),
        )  # fmt: skip


def _say_unclamped(study: Study, en: str, zh: str) -> None:
    study.say(
        say.UNCLAMPED, "error", ("max_distance",), en, zh,
        ("take the minimum with the last bucket", "与最后一个桶取较小者"),
    )  # fmt: skip


def _some(steps: list[int]) -> str:
    return ", ".join(map(str, steps[:4])) + (" …" if len(steps) > 4 else "")
