"""Numbers as a configuration states them: what is missing, no number or out of range gets a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from clockhands.arrays import finite, listed
from clockhands.errors import ClockhandsError, shown


def number(value: Any, name: str, *, above: float = 0.0, most: float = math.inf) -> float:
    """``value`` as a float: finite, more than ``above`` and ``most`` at the most.

    >>> number(4, "factor")
    4.0
    """
    if not above < finite(value) <= most:
        top = (
            "" if most == math.inf else f" and at most {most:g}",
            " " if most == math.inf else f"、不大于 {most:g} ",
        )
        raise ClockhandsError(
            f"{name} is {shown(value)}, but it must be a finite number above {above:g}{top[0]}: correct it",
            f"{name} 为 {shown(value)}，但它必须是大于 {above:g}{top[1]}的有限数：请改正",
        )
    return float(value)


def optional(asked: Mapping[str, Any], name: str, otherwise: float, **bounds: float) -> float:
    """The same, or ``otherwise`` where there is none or it is null."""
    value = asked.get(name)
    return otherwise if value is None else number(value, name, **bounds)


def needed(asked: Mapping[str, Any], name: str) -> Any:
    """What is there under ``name``; ClockhandsError where nothing is."""
    value = asked.get(name)
    if value is None:
        raise ClockhandsError(
            f"rope_type '{asked['kind']}' needs {name}, and it is missing: add it",
            f"rope_type “{asked['kind']}”需要 {name}，这里缺少它：请补上",
        )
    return value


def divisors(asked: Mapping[str, Any], name: str, pairs: int) -> list[float]:
    """A list of one number above 0 for each pair."""
    values = [number(value, f"each of {name}") for value in listed(needed(asked, name), name)]
    if len(values) != pairs:
        raise ClockhandsError(
            f"{name} has {len(values)} numbers, but {pairs} pairs turn: give one for each",
            f"{name} 有 {len(values)} 个数，而转动的有 {pairs} 对：请一一对应",
        )
    return values
