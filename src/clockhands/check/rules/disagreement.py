"""Where what was measured is not what was declared: findings of one rule from the fields it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clockhands.check.agreement import disagreements
from clockhands.check.finding import Finding, Rule
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text

NEAR = 1e-3
"""Relative difference that measuring in 32 bits may leave; less than any other setting makes."""

SPEED, STEP = 2e-5, 1e-7
"""Of frequencies less is left: relative, and rad / token besides, for slow hands seen over few tokens. Rounding
to fp16 makes up to 5e-4, which is half a turn by position 10000."""


def disagreeing(subject: Subject, rule: Rule, fields: Mapping[str, str], remedy: Text) -> Iterator[Finding]:
    """An error for each of ``fields`` that differs; their values name the key that would say it."""
    for each in disagreements(subject):
        if each.field in fields and not _near(each.first, each.second, speeds=each.field == "inv_freq"):
            yield rule.finding(
                "error",
                [subject.key(fields[each.field])],
                Text(
                    f"declared against measured: {each.message.en}",
                    f"声明与实测不一致：{each.message.zh}",
                ),
                remedy,
            )


def _near(declared: object, measured: object, *, speeds: bool = False) -> bool:
    if isinstance(declared, tuple | list) and isinstance(measured, tuple | list):
        pairs = zip(declared, measured, strict=False)
        return len(declared) == len(measured) and all(_near(one, other, speeds=speeds) for one, other in pairs)
    one, other = finite(declared), finite(measured)
    if one is None or other is None:
        return declared == measured
    size = max(abs(one), abs(other))
    return abs(one - other) <= (min(NEAR * size, SPEED * size + STEP) if speeds else NEAR * size)
