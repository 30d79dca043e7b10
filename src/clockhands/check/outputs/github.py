"""Findings as workflow commands, which GitHub shows on the changed files of a pull request."""

from __future__ import annotations

from clockhands.check.finding import Finding
from clockhands.check.outputs.place import file_of, line_of
from clockhands.check.report import Report
from clockhands.language import Language

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def as_github(report: Report, lang: Language) -> str:
    """One line for each finding; nothing where there is none."""
    lines: list[str] = []
    file = file_of(report)
    for finding in report.findings:
        keys = ", ".join(finding.keys)
        title = _property(f"{finding.code} {keys}".strip())
        says = _data(f"{finding.message.said_in(lang)} → {finding.remedy.said_in(lang)}")
        lines.append(f"::{_COMMANDS[finding.severity]} {_place(file, finding)}title={title}::{says}")
    return "\n".join(lines)


def _place(file: str | None, finding: Finding) -> str:
    if file is None:
        return ""
    line = line_of(file, finding.keys)
    return f"file={_property(file)}," + ("" if line is None else f"line={line},")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
