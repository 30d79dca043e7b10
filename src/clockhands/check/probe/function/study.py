"""What a probe of one function has at hand, and what it has found so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clockhands.check.finding import Finding, Rule, Severity
from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import Floats
from clockhands.language import Text


@dataclass
class Study:
    """One function under study.

    asked  the function
    again  makes another instance of it, None where there is only this one
    same   relative difference up to which two codes are the same one
    """

    asked: Asked
    again: Callable[[], Any] | None
    causal: bool = True
    same: float = 1e-5
    facts: dict[str, Any] = field(default_factory=dict)
    found: list[Finding] = field(default_factory=list)

    def say(
        self, rule: Rule, severity: Severity, keys: Iterable[str], en: str, zh: str, remedy: tuple[str, str]
    ) -> None:
        """A finding, once for each rule."""
        if not self.has(rule):
            self.found.append(rule.finding(severity, keys, Text(en, zh), Text(*remedy)))

    def has(self, *rules: Rule) -> bool:
        """Whether one of these rules has found something."""
        return any(finding.code == rule.code for finding in self.found for rule in rules)

    def agree(self, one: Floats, other: Floats) -> bool:
        """Whether two codes are equal but for rounding."""
        if one.shape != other.shape or not np.isfinite(one).all() or not np.isfinite(other).all():
            return False
        size = max(float(np.abs(one).max(initial=0.0)), 1e-30)
        return bool(np.abs(one - other).max(initial=0.0) <= self.same * size)
