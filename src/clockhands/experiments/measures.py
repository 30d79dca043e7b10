"""What of a row a statement is about: one number an item, named in a word."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import probes_of
from clockhands.experiments.design import PROBES, About, Design
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.tasks.task import lengths_of
from clockhands.language import Text

_NAMED = re.compile(
    r"(at|rise|sliding|sliding-rise):[0-9]{1,3}(\.[0-9]{1,6})?|position:[0-9]{1,5}|within|past|shuffle"
)


def described(measure: str) -> Text:
    """In words.

    >>> described("rise:4").en
    'score at 4 times the training length minus that at the training length'
    """
    kind, _, rest = measure.partition(":")
    return {
        "within": Text("score at the training length", "训练长度上的得分"),
        "past": Text("mean score past the training length", "超过训练长度后的平均得分"),
        "at": Text(f"score at {rest} times the training length", f"训练长度 {rest} 倍处的得分"),
        "rise": Text(
            f"score at {rest} times the training length minus that at the training length",
            f"训练长度 {rest} 倍处与训练长度处的得分之差",
        ),
        "sliding": Text(
            f"loss of the same tokens with a context of {rest} training lengths",
            f"同样的词元在上文为训练长度 {rest} 倍时的损失",
        ),
        "sliding-rise": Text(
            f"loss of the same tokens with a context of {rest} training lengths minus that with one",
            f"同样的词元在上文为训练长度 {rest} 倍与 1 倍时的损失之差",
        ),
        "position": Text(
            f"error of a linear probe of the position after layer {rest}, tokens",
            f"第 {rest} 层之后线性探针读出位置的误差（词元）",
        ),
        "shuffle": Text(
            "loss of the last quarter with the tokens before it shuffled minus that with them in order",
            "打乱前文与不打乱前文时，窗口最后四分之一的损失之差",
        ),
    }[_require(measure) and kind]


def values(row: Row, measure: str, lengths: Sequence[int]) -> NDArray[np.float64] | None:
    """One number an item ``(items,)``; None where the row has none, as it failed or is undefined there.

    lengths  of the tests, the training length first
    """
    kind, _, rest = _require(measure).partition(":")
    if row.failed is not None:
        return None
    if kind == "within":
        return _of(row.measured.get(lengths[0]))
    if kind == "past":
        return _mean([row.measured.get(length) for length in lengths[1:]])
    if kind == "position":
        return _of(row.probes.get("position", {}).get(rest))
    if kind == "shuffle":
        found = row.probes.get("shuffle", {})
        return _minus(_of(found.get("shuffled")), _of(found.get("ordered")))
    (length,) = lengths_of(lengths[0], (float(rest),))
    if kind in ("at", "rise"):
        there, here = row.measured.get(length), row.measured.get(lengths[0])
    else:
        found = row.probes.get("sliding", {})
        there, here = found.get(str(length)), found.get(str(lengths[0]))
    return _minus(_of(there), _of(here)) if kind.endswith("rise") else _of(there)


def require_measured(measure: str, design: Design, task: str) -> None:
    """Refuse what a design does not measure of a task: a length not tested, a probe not made, a layer that is
    not there. ClockhandsError says what it has."""
    kind, _, rest = _require(measure).partition(":")
    about, layers = design.about(task), design.model.layers
    probe = {"sliding-rise": "sliding"}.get(kind, kind)
    if probe in PROBES and probe not in probes_of(design, task):
        raise ClockhandsError(
            f"{measure} is measured by the probe {probe}, which is not made of {task}: name it in the probes "
            "of the design, or give another measure",
            f"{measure} 由探针 {probe} 测量，而 {task} 没有这个探针：请在设计的 probes 里写上它，或换一个量",
        )
    if kind == "position" and int(rest) > layers:
        raise ClockhandsError(
            f"{measure} is past the last layer: give position:0 to position:{layers}",
            f"{measure} 超过了最后一层：可用 position:0 到 position:{layers}",
        )
    if kind in ("at", "rise", "sliding", "sliding-rise"):
        (length,) = lengths_of(about.length, (float(rest),))
        if length not in about.lengths:
            every = ", ".join(f"{each / about.length:g}" for each in about.lengths)
            raise ClockhandsError(
                f"{measure} is not measured: {task} is tested at {every} times its training length",
                f"没有测量 {measure}：{task} 的测试长度是训练长度的 {every} 倍",
            )


def of_shared_items(task: About, measure: str) -> bool:
    """Whether every seed is asked the same: windows of a text, and what the probe of positions reads."""
    return task.reads_text or measure.startswith("position")


def _require(measure: str) -> str:
    if not _NAMED.fullmatch(measure):
        raise ClockhandsError(
            f"'{measure}' is no measure: give within, past, at:2, rise:2, sliding:2, sliding-rise:2, "
            "position:1 or shuffle",
            f"没有“{measure}”这个量：可用 within、past、at:2、rise:2、sliding:2、sliding-rise:2、"
            "position:1、shuffle",
        )
    return measure


def _of(one: Measured | None) -> NDArray[np.float64] | None:
    return None if one is None else np.array(one.scores)


def _mean(every: Sequence[Measured | None]) -> NDArray[np.float64] | None:
    """Over lengths; as many items as the shortest list has."""
    there = [one.scores for one in every if one is not None]
    if len(there) < len(every) or not there:
        return None
    count = min(map(len, there))
    return np.mean([scores[:count] for scores in there], axis=0)


def _minus(one: NDArray[np.float64] | None, other: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Item by item; the items of two lengths are not the same ones, but there are as many."""
    if one is None or other is None:
        return None
    count = min(len(one), len(other))
    return one[:count] - other[:count]
