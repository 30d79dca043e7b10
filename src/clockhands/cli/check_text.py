"""A report to read in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clockhands.check.finding import Finding
from clockhands.check.report import Report
from clockhands.check.wording import (
    SEVERITY,
    SOURCES,
    Row,
    as_measured,
    clock_rows,
    context_words,
    family_of,
    name_of,
    rows,
    total,
)
from clockhands.cli.wrapping import columns, padded, wrap
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.check.compare import Difference
    from clockhands.check.finding import Rule

_INDENT = "  "


def as_text(report: Report, lang: Language, width: int) -> str:
    """The normal form, the clock view, and the findings, in lines of at most ``width`` columns."""
    subject = report.subject
    kind = f"{subject.kind}, {subject.dialect}" if subject.dialect else subject.kind
    parts = ["\n".join(wrap(f"{subject.target} ({kind})", width))]
    parts.append(_table([(Text("context", "上下文"), context_words(subject.context))], lang, width, ""))
    parts += [_layer(report, place, lang, width) for place in range(len(report.layers))]
    parts += [_finding(finding, lang, width) for finding in report.findings]
    parts.append(total(report.findings).said_in(lang))
    return "\n\n".join(parts)


def _layer(report: Report, place: int, lang: Language, width: int) -> str:
    form, clock = report.layers[place], report.clocks[place]
    name, family, source = name_of(form), family_of(form), SOURCES[form.source]
    head = Text(f"{name.en}: {family.en} [{source.en}]", f"{name.zh}：{family.zh}[{source.zh}]")
    lines = ["\n".join(wrap(head.said_in(lang), width))]
    twin = form.as_was_measured(report.layers)
    if twin is not None:
        told = wrap(as_measured(twin).said_in(lang), width - len(_INDENT))
        return "\n".join([*lines, *(_INDENT + line for line in told)])
    said = rows(form) + ([] if clock is None else clock_rows(clock, report.subject.context))
    if said:
        lines.append(_table(said, lang, width, _INDENT))
    return "\n".join(lines)


def _table(said: list[Row], lang: Language, width: int, indent: str) -> str:
    names = [name.said_in(lang) for name, _ in said]
    first = max(columns(name) for name in names) + 2
    lines: list[str] = []
    for name, (_, value) in zip(names, said, strict=True):
        broken = wrap(value.said_in(lang), max(20, width - len(indent) - first)) or [""]
        lines.append(f"{indent}{padded(name, first)}{broken[0]}")
        lines += [f"{indent}{' ' * first}{each}" for each in broken[1:]]
    return "\n".join(lines)


def _finding(finding: Finding, lang: Language, width: int) -> str:
    severity = SEVERITY[finding.severity].said_in(lang)
    keys = ", ".join(finding.keys)
    lines = wrap(f"{finding.code} {severity}" + (f" · {keys}" if keys else ""), width)
    remedy = Text(f"→ {finding.remedy.en}", f"→ {finding.remedy.zh}").said_in(lang)
    for one in (finding.message.said_in(lang), remedy):
        lines += [_INDENT + line for line in wrap(one, width - len(_INDENT))]
    if finding.reference:
        resembles = Text(f"resembles {finding.reference}", f"类似问题：{finding.reference}").said_in(lang)
        lines += [_INDENT + line for line in wrap(resembles, width - len(_INDENT))]
    return "\n".join(lines)


def comparison(
    first: Report, second: Report, found: tuple[Difference, ...], lang: Language, width: int
) -> str:
    """What two targets do differently, or that they do the same."""
    named = f"A: {first.subject.target}\nB: {second.subject.target}"
    if not found:
        equal = Text("equal: both do the same with position", "相同：两者处理位置的方式一样").said_in(lang)
        return f"{named}\n\n{equal}"
    lines = [line for each in found for line in wrap(f"- {each.message.said_in(lang)}", width)]
    count = Text(f"{len(found)} difference{'s' if len(found) > 1 else ''}", f"{len(found)} 处不同")
    return "\n".join([named, "", *lines, "", count.said_in(lang)])


def story(rule: Rule, lang: Language, width: int) -> str:
    """A rule, told."""
    parts = [wrap(f"{rule.code}: {rule.title.said_in(lang)}", width), wrap(rule.story.said_in(lang), width)]
    if rule.reference:
        parts.append(wrap(Text(f"see {rule.reference}", f"见 {rule.reference}").said_in(lang), width))
    return "\n\n".join("\n".join(lines) for lines in parts)


def table_of_rules(rules: Sequence[Rule], lang: Language, width: int) -> str:
    """Every code and what it looks for."""
    lines: list[str] = []
    for rule in rules:
        first, *rest = wrap(rule.title.said_in(lang), width - 7)
        lines += [f"{rule.code}  {first}", *(" " * 7 + each for each in rest)]
    return "\n".join(lines)
