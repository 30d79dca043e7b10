"""LongRoPE's two lists: one divisor a hand, all above 0, the long ones for long texts."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Given, givens, turning
from clockhands.check.saying import number
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text

NAMES = ("short_factor", "long_factor")


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        if given.kind == "longrope":
            yield from _each(given)
            yield from _swapped(given)


def _each(given: Given) -> Iterator[Finding]:
    width = turning(given)
    for name in NAMES:
        divisors, key = given.values.get(name), given.key(name)
        if divisors is None:
            continue  # CH005
        if not isinstance(divisors, list | tuple) or any((finite(each) or 0.0) <= 0 for each in divisors):
            yield RULE.finding(
                "error",
                [key],
                Text(f"{key} must be a list of numbers above 0", f"{key} 必须是一列大于 0 的数"),
                _REMEDY,
            )
        elif width is not None and len(divisors) != width // 2:
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} has {len(divisors)} numbers, and {width} dimensions turn: one number for each "
                    "hand "
                    f"makes {width // 2}",
                    f"{key} 有 {len(divisors)} 个数，而旋转的维度有 {width} 个：每根指针一个，应有 "
                    f"{width // 2} 个",
                ),
                _REMEDY,
            )


def _swapped(given: Given) -> Iterator[Finding]:
    short, long = (_total(given.values.get(name)) for name in NAMES)
    if short is not None and long is not None and short > long:
        keys = [given.key(name) for name in NAMES]
        yield RULE.finding(
            "warning",
            keys,
            Text(
                f"{keys[0]} slows hands more than {keys[1]} does: its numbers add up to {number(short)}, "
                "those "
                f"of the other to {number(long)}, so they look swapped",
                f"{keys[0]} 比 {keys[1]} 更能放慢指针：前者总和为 {number(short)}，后者为 {number(long)}，"
                "看来"
                "写反了",
            ),
            _REMEDY,
        )


def _total(divisors: object) -> float | None:
    if not isinstance(divisors, list | tuple):
        return None
    numbers = [finite(each) for each in divisors]
    return None if None in numbers else sum(each for each in numbers if each is not None)


_REMEDY = Text("copy both lists from the original file", "从原文件中复制这两列数")

RULE = Rule(
    code="CH016",
    title=Text("LongRoPE's lists don't fit the head", "LongRoPE 的列表与注意力头不符"),
    story=Text(
        "LongRoPE divides the speed of each hand by a number of its own, found by search: one list for "
        "texts within the trained length, one for longer texts. A list for another width of head fails in "
        "the middle of a forward pass, or is broadcast. With partial rotation the lists are as long as "
        "half of the part that turns.",
        "LongRoPE 给每根指针各除以一个搜索得到的数：一列用于训练长度以内的文本，另一列用于更长的文本。为别"
        "的头宽准备的列表会在前向计算中途出错，或者被广播。部分旋转时，列表的长度是旋转部分的一半。",
    ),
    check=_check,
    reference="huggingface/transformers #33129",
)
