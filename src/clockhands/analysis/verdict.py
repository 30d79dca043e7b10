"""Visual debugging as a verdict: what is wrong with a table of positions, in words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.detect_sinusoid import ARRANGEMENTS, Arrangement, Sinusoid, recognise
from clockhands.analysis.findings import SEVERITIES, Finding, Severity, Subject
from clockhands.analysis.verdict_rules import RULES, not_finite
from clockhands.language import Text, counted


@dataclass(frozen=True)
class Verdict:
    """All findings on one table, errors first. ``sinusoid``: its hands, if it is made of hands."""

    findings: tuple[Finding, ...]
    sinusoid: Sinusoid | None
    sentence: Text

    @property
    def healthy(self) -> bool:
        """No error and no warning; notes don't count."""
        return all(finding.severity == "note" for finding in self.findings)


def examine(
    table: ArrayLike,
    start: int = 0,
    expected: Arrangement | None = None,
    *,
    progress: Callable[[int, int], None] = lambda count, total: None,
) -> Verdict:
    """Examine a positional ``table``, ``(n, width)``: one row per position, the first at position ``start``.

    Finds numbers that are not finite, rows that repeat, columns that never change, columns that say the same,
    steps between neighbours that stand out, sines paired with cosines of another frequency, an arrangement
    other than the ``expected`` one, and rows that bf16 or fp16 would make equal. ``progress`` is called with
    the number of steps done and of all.

    >>> two_hands = np.stack([f(np.arange(20) * w) for w in (1.0, 0.1) for f in (np.sin, np.cos)], axis=1)
    >>> examine(two_hands).healthy
    True
    >>> two_hands[7] = two_hands[3]
    >>> [finding.id for finding in examine(two_hands).findings]
    ['repeated-rows']
    """
    array = inputs.matrix(table)
    if expected is not None:
        inputs.choice(expected, ARRANGEMENTS, Text("arrangement", "排列方式"))
    finite = bool(np.isfinite(array).all())
    subject = Subject(array, start, _grain(table), expected, recognise(array, start) if finite else None)
    rules = RULES if finite else (not_finite,)  # nothing can be said past a NaN
    found: list[Finding] = []
    for done, rule in enumerate(rules, 1):
        progress(done, len(rules) + 1)
        found += rule(subject)
    progress(len(rules) + 1, len(rules) + 1)
    order = list(SEVERITIES)
    findings = tuple(sorted(found, key=lambda finding: order.index(finding.severity)))
    return Verdict(findings, subject.sinusoid, _summary(subject, findings))


def _grain(table: ArrayLike) -> float:
    dtype = np.asarray(table).dtype
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else float(np.finfo(np.float64).eps)


def _summary(subject: Subject, findings: tuple[Finding, ...]) -> Text:
    n, width = subject.table.shape
    head = Text(
        f"{counted(n, 'position')} x {counted(width, 'dimension')}: ", f"{n} 个位置 × {width} 个维度："
    )
    counts = list(_counted(findings))
    if not counts:
        return Text(head.en + "no fault found", head.zh + "没有发现问题")
    return Text(head.en + ", ".join(one.en for one in counts), head.zh + "，".join(one.zh for one in counts))


def _counted(findings: tuple[Finding, ...]) -> Iterator[Text]:
    severities: tuple[Severity, ...] = ("error", "warning")
    for severity in severities:
        count = sum(finding.severity == severity for finding in findings)
        if count:
            yield Text(f"{count} {severity}{'s' * (count > 1)}", f"{count} 个{SEVERITIES[severity].zh}")
