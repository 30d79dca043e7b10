"""Rules that a design obeys, beside those of single parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from clockhands.catalogue.rules import LARGEST_REAL, require_real
from clockhands.errors import BadParameter, ClockhandsError, shown, shown_zh
from clockhands.language import Text

MOST_MULTIPLE = 64
_DEEPEST = 16  # lists within lists of a parameter, more than any scheme has


def require_longer(task: str, length: int, lengths: Sequence[int]) -> None:
    """A test past the training length; lengths are whole: of a short one a small multiple may be itself."""
    if len(lengths) < 2:
        least = f"{(length + 1) / length:.3g}"
        raise BadParameter(
            "multiples",
            f" leave {task} no test past its training length {length}: give one of at least {least}",
            f" 使 {task} 没有超过训练长度 {length} 的测试：至少要有一个不小于 {least} 的倍数",
        )


def require_multiples(multiples: tuple[float, ...]) -> None:
    """1 and larger ones."""
    rising = all(one < other for one, other in pairwise(multiples))
    if len(multiples) < 2 or multiples[0] != 1 or not rising or multiples[-1] > MOST_MULTIPLE:
        raise BadParameter(
            "multiples",
            f" is {shown(multiples)}: it must be 1 and then larger numbers in rising order, up to "
            f"{MOST_MULTIPLE}, e.g. 1,1.5,2",
            f" 为 {shown(multiples)}：必须从 1 开始，后面的数依次增大，最大 {MOST_MULTIPLE}，例如 1,1.5,2",
        )


def require_distinct(name: str, given: Sequence[Any], least: int) -> None:
    """So many, none of them twice or empty."""
    values = list(given)
    if "" in values:
        raise BadParameter(
            name,
            " has a name that is empty: leave out the comma that is too much",
            " 中有一个空名称：请去掉多余的逗号",
        )
    if len(values) < least:
        raise BadParameter(
            name,
            f" has {len(values)} of the {least} or more that a comparison needs: name more, with commas",
            f" 只有 {len(values)} 个，而比较至少需要 {least} 个：请用逗号隔开多写几个",
        )
    twice = [value for value in values if values.count(value) > 1]
    if twice:
        raise BadParameter(
            name,
            f" names {shown(twice[0])} twice: leave one out",
            f" 中 {shown(twice[0])} 出现了两次：请去掉一个",
        )


def require_different(described: Mapping[str, Any]) -> None:
    """No scheme twice under two names; ``described``: what tells each from the others, by its label."""
    labels = [*described]
    for at, label in enumerate(labels):
        for other in labels[:at]:
            if _same(described[other], described[label]):
                raise BadParameter(
                    "schemes",
                    f" names one scheme twice, as {shown(other)} and as {shown(label)}: leave one out, or "
                    "give it other parameters",
                    f" 中 {shown(other)} 与 {shown(label)} 是同一个方案：请去掉一个，或改它的参数",
                )


def _same(one: Any, other: Any) -> bool:
    """Whether two values are, through and through; what can't be compared is not."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    try:
        return bool(np.all(one == other)) and np.shape(one) == np.shape(other)
    except Exception:  # noqa: BLE001  a value of anybody's class
        return False


def require_probes_of_texts(probes: Sequence[str], of_texts: Sequence[str]) -> None:
    """None of those that want a text, where no task has one."""
    for probe in probes:
        if probe in of_texts:
            raise BadParameter(
                "probes",
                f" names {probe}, which is measured of a decoder that reads a text, and no task has one: "
                "leave it out, or compare characters, bytes or words",
                f" 中的 {probe} 只能在读文本的解码器上测量，而这里没有这样的任务：请去掉它，或比较 "
                "characters、bytes、words",
            )


def require_plain(scheme: str, parameters: Any) -> None:
    """Parameters that a file can say: finite numbers, text, true, false, nothing, and lists of those."""
    if not isinstance(parameters, Mapping):
        raise ClockhandsError(
            f"the parameters of {scheme} are {shown(parameters)}: give a mapping of names to values",
            f"{scheme} 的参数为{shown_zh(parameters)}：请给出名称到值的映射",
        )
    for name, value in parameters.items():
        if not isinstance(name, str) or not _plain(value, _DEEPEST):
            raise BadParameter(
                f"{name} ({scheme})",
                f" is {shown(value)}: a comparison keeps its design in a file, so it must be a finite number "
                f"up to {LARGEST_REAL:g}, text, True, False, None, or a list of such",
                f" 为{shown_zh(value)}：比较的设计要存进文件，所以它必须是不超过 {LARGEST_REAL:g} 的有限数、"
                "文字、True、False、None，或由它们组成的列表",
            )


def frozen(value: Any) -> Any:
    """Plain values with tuples for lists, through and through."""
    if isinstance(value, Mapping):
        return {name: frozen(one) for name, one in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def _plain(value: Any, depth: int) -> bool:
    if isinstance(value, list | tuple):
        return depth > 0 and all(_plain(one, depth - 1) for one in value)
    if isinstance(value, Mapping):
        words = all(isinstance(name, str) for name in value)
        return depth > 0 and words and all(_plain(one, depth - 1) for one in value.values())
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= LARGEST_REAL
    return value is None or isinstance(value, str)


def require_text(value: Any, what: str, what_zh: str) -> None:
    """Some text."""
    if not isinstance(value, str) or not value:
        raise ClockhandsError(
            f"{what} is {shown(value)}: give some text", f"{what_zh} 为{shown_zh(value)}：请给出文字"
        )


def require_said(value: Any, what: str, what_zh: str) -> None:
    """A text in both languages."""
    if not isinstance(value, Text) or not all(isinstance(one, str) and one for one in value):
        raise ClockhandsError(
            f"{what} is {shown(value)}: give Text('in English', '中文')",
            f"{what_zh} 为{shown_zh(value)}：请写成 Text('in English', '中文')",
        )


def require_costs(costs: Any) -> None:
    """Of a step, by scheme and task: numbers above nought."""
    every = costs.values() if isinstance(costs, Mapping) else (None,)
    for one in every:
        if not isinstance(one, Mapping):
            raise BadParameter(
                "costs",
                f" is {shown(costs)}: give numbers by scheme and task, or leave it out",
                f" 为{shown_zh(costs)}：请按方案和任务给出数，或去掉它",
            )
        for cost in one.values():
            require_real(cost, "costs", least=1e-6, most=1e6)
