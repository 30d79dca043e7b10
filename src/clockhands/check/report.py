"""The answer to ``clockhands check``: what a target does with position, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clockhands.check.clock_view import ClockView, clock_view
from clockhands.check.finding import SEVERITIES, Finding
from clockhands.check.form import LayerForm
from clockhands.check.subject import Subject
from clockhands.language import Language


@dataclass(frozen=True)
class Report:
    """``subject`` is all that is known of the target; ``findings`` stand with the worst first."""

    subject: Subject
    findings: tuple[Finding, ...]

    @property
    def layers(self) -> tuple[LayerForm, ...]:
        """The normal form: as measured where it was, else as declared; ``both`` where they agree."""
        return self.subject.layers

    @property
    def clocks(self) -> tuple[ClockView | None, ...]:
        """What the hands of each form do, None for forms without hands."""
        return tuple(clock_view(form, self.subject.context, self.subject.dtype) for form in self.layers)

    def failed(self, strict: bool = False) -> bool:
        """Whether there is an error; with ``strict`` a warning is enough."""
        worst = {finding.severity for finding in self.findings}
        return "error" in worst or (strict and "warning" in worst)

    def as_record(self, lang: Language = "en") -> dict[str, Any]:
        """The documented JSON shape, sentences in one language."""
        return {
            "target": self.subject.target,
            "kind": self.subject.kind,
            "context": self.subject.context.as_record(),
            "layers": [form.as_record() for form in self.layers],
            "findings": [finding.as_record(lang) for finding in self.findings],
        }


def report_of(subject: Subject, findings: Sequence[Finding]) -> Report:
    """A report with the findings in order: the worst first, and by code; nothing said twice."""
    ordered = sorted(dict.fromkeys(findings), key=lambda each: (SEVERITIES.index(each.severity), each.code))
    return Report(subject, tuple(ordered))
