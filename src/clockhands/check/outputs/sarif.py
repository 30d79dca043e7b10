"""A report as SARIF 2.1.0, which code hosts and editors show beside the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clockhands.check.finding import Finding, Rule
from clockhands.check.outputs.place import file_of, line_of, uri_of
from clockhands.check.report import Report
from clockhands.language import Language

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(
    reports: Sequence[Report], rules: Iterable[Rule], version: str, lang: Language
) -> dict[str, Any]:
    """The log as a dictionary; ``rules`` are those whose stories it may tell."""
    used = {finding.code for report in reports for finding in report.findings}
    described = [rule for rule in rules if rule.code in used]
    places = {rule.code: place for place, rule in enumerate(described)}
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
                    _result(finding, places, report, lang)
                    for report in reports
                    for finding in report.findings
                ],
            }
        ],
    }


def _result(finding: Finding, places: Mapping[str, int], report: Report, lang: Language) -> dict[str, Any]:
    file = file_of(report)
    where: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": key} for key in finding.keys]}
    if file is not None:
        line = line_of(file, finding.keys)
        region = {} if line is None else {"region": {"startLine": line}}
        where["physicalLocation"] = {"artifactLocation": {"uri": uri_of(file)}, **region}
    elif not finding.keys:
        where["logicalLocations"] = [{"fullyQualifiedName": report.subject.target}]
    index = {"ruleIndex": places[finding.code]} if finding.code in places else {}
    return {
        "ruleId": finding.code,
        **index,
        "level": finding.severity,  # SARIF has the same three words
        "message": {"text": f"{finding.message.said_in(lang)} → {finding.remedy.said_in(lang)}"},
        "locations": [where],
    }
