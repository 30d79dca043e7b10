"""What is wrong, or deserves a look: a finding names keys, value, rule and remedy; a rule makes findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from clockhands.language import Text

if TYPE_CHECKING:
    from clockhands.check.subject import Subject

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing found in a target.

    code       of the rule, ``CH001`` …
    severity   ``error`` breaks results, ``warning`` deserves a look, ``note`` is good to know
    keys       where in the target: paths such as ``rope_parameters.full_attention.rope_theta``
    message    what, which value, which rule
    remedy     what to do
    reference  public report it resembles, empty where there is none
    """

    code: str
    severity: Severity
    keys: tuple[str, ...]
    message: Text
    remedy: Text
    reference: str = ""

    def as_record(self, lang: Literal["en", "zh"] = "en") -> dict[str, Any]:
        """For JSON, sentences in one language."""
        return {
            "code": self.code,
            "severity": self.severity,
            "keys": list(self.keys),
            "message": self.message.said_in(lang),
            "remedy": self.remedy.said_in(lang),
            "reference": self.reference,
        }


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule: a file of ``rules/`` holds it as ``RULE``.

    title    what it looks for, in a few words
    story    what goes wrong, why, and how the public found out; for ``--explain``
    check    yields findings; a rule that has nothing to look at yields none and never raises
    """

    code: str
    title: Text
    story: Text
    check: Callable[[Subject], Iterable[Finding]]
    reference: str = ""

    def finding(
        self,
        severity: Severity,
        keys: Iterable[str],
        message: Text,
        remedy: Text,
        reference: str | None = None,
    ) -> Finding:
        """A finding of this rule."""
        return Finding(
            code=self.code,
            severity=severity,
            keys=tuple(keys),
            message=message,
            remedy=remedy,
            reference=self.reference if reference is None else reference,
        )


def found_while_reading(subject: Subject) -> Iterable[Finding]:
    """The ``check`` of rules that a reader or a probe keeps by itself: its findings come with the subject."""
    return ()
