"""Llama 3's bands in the wrong order."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        low, high = given.number("low_freq_factor"), given.number("high_freq_factor")
        if given.kind != "llama3" or low is None or high is None:
            continue
        keys = [given.key("high_freq_factor"), given.key("low_freq_factor")]
        if high < low or low <= 0:
            yield RULE.finding(
                "error",
                keys,
                Text(
                    f"{keys[0]} is {high:g} and {keys[1]} is {low:g}: they count turns within the trained "
                    "length, and the first must be the larger; both must be above 0",
                    f"{keys[0]} 为 {high:g}，{keys[1]} 为 {low:g}：两者是训练长度内的圈数，前者应较大，且都"
                    "大于 0",
                ),
                _REMEDY,
            )
        elif high == low and given.part.settings.model_type not in ("llama4", "llama4_text", ""):
            yield RULE.finding(
                "warning",
                keys,
                Text(
                    f"{keys[0]} and {keys[1]} are both {high:g}: no hand is blended, and the blend divides "
                    "by zero",
                    f"{keys[0]} 与 {keys[1]} 都为 {high:g}：没有过渡的指针，过渡公式还会除以零",
                ),
                _REMEDY,
            )


_REMEDY = Text(
    "write the numbers of the original file: 4.0 and 1.0 in Llama 3.1 and 3.2",
    "按原文件来写：Llama 3.1 与 3.2 为 4.0 与 1.0",
)

RULE = Rule(
    code="CH014",
    title=Text("Llama 3's bands are swapped", "Llama 3 的频段写反了"),
    story=Text(
        "Hands that make more than high_freq_factor turns in the trained length keep their speed, those "
        "that make fewer than low_freq_factor are slowed by the factor, those between are blended. With "
        "the two swapped the blend runs backwards. Llama 4 Scout has 1.0 for both: no band between, which "
        "works where the code masks the division. Transformers logs a line.",
        "训练长度内转得比 high_freq_factor 圈多的指针保持原速，比 low_freq_factor 圈少的按因子放慢，两者之"
        "间的平滑过渡。写反之后，过渡也就反了。Llama 4 Scout 两者都是 1.0，没有过渡频段，只要代码屏蔽了除法"
        "就能工作。transformers 只记一行日志。",
    ),
    check=_check,
)
