"""A report as SARIF 2.1.0, which code hosts and editors show beside the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from clockhands.check.finding import Finding, Rule
from clockhands.check.report import Report
from clockhands.language import Language

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def as_sarif(
    reports: Sequence[Report], rules: Iterable[Rule], version: str, lang: Language
) -> dict[str, Any]:
    """The log as a dictionary; ``rules`` are those whose stories it may tell."""
    used = {finding.code for report in reports for finding in report.findings}
    described = [rule for rule in rules if rule.code in used]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "clockhands",
                        "version": version,
                        "rules": [
                            {
                                "id": rule.code,
                                "shortDescription": {"text": rule.title.said_in(lang)},
                                "fullDescription": {"text": rule.story.said_in(lang)},
                            }
                            for rule in described
                        ],
                    }
                },
                "results": [
                    _result(finding, report.subject.target, lang)
                    for report in reports
                    for finding in report.findings
                ],
            }
        ],
    }


def _result(finding: Finding, target: str, lang: Language) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{finding.message.said_in(lang)} → {finding.remedy.said_in(lang)}"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(target)}},
                "logicalLocations": [{"fullyQualifiedName": key} for key in finding.keys],
            }
        ],
    }


def _uri(target: str) -> str:
    from urllib.parse import quote

    return quote(target.replace("\\", "/"), safe="/:")
