"""Where what was measured is not what was declared: findings of one rule from the fields it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clockhands.check.agreement import disagreements
from clockhands.check.compare import FOLLOWING
from clockhands.check.finding import Finding, Rule
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text

NEAR = 1e-3
"""Relative difference that measuring in 32 bits may leave; less than any other setting makes."""


def disagreeing(subject: Subject, rule: Rule, fields: Mapping[str, str], remedy: Text) -> Iterator[Finding]:
    """An error for each of ``fields`` that differs; their values name the key that would say it.

    Of a class that isn't known here what is declared is a guess, so that there it is a note.
    """
    guessed = any(found.code == "CH092" for found in subject.found)
    for each in disagreements(subject):
        # Of frequencies, and of what they come from, ``differences`` has judged that already.
        judged = each.field == "inv_freq" or each.field in FOLLOWING
        if each.field in fields and (judged or not _near(each.first, each.second)):
            yield rule.finding(
                "note" if guessed else "error",
                [subject.key(fields[each.field])],
                each.as_measured,
                remedy,
            )


def _near(declared: object, measured: object) -> bool:
    if isinstance(declared, tuple | list) and isinstance(measured, tuple | list):
        pairs = zip(declared, measured, strict=False)
        return len(declared) == len(measured) and all(_near(one, other) for one, other in pairs)
    one, other = finite(declared), finite(measured)
    if one is None or other is None:
        return declared == measured
    return abs(one - other) <= NEAR * max(abs(one), abs(other))
