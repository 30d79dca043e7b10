"""A plan to read in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from clockhands.cli.wrapping import columns, padded, wrap
from clockhands.extend import Plan, Step
from clockhands.extend.wording import HEADS, LEGEND, NAMES, advice, heading, table
from clockhands.language import Language, Text

_GAP = 2
_INDENT = "  "


def as_text(plan: Plan, frameworks: Sequence[str], lang: Language, width: int) -> str:
    """Lengths, the table, the advice and its reasons, settings; all but these within ``width`` columns."""
    parts = ["\n".join(wrap(plan.source.name, width))]
    parts[0] += "".join(f"\n{line}" for each in heading(plan) for line in _set_in(each, lang, width))
    if not plan.steps:
        said = plan.reasons[0] if plan.reasons else _left_out(plan)
        return "\n\n".join([*parts, "\n".join(wrap(said.said_in(lang), width))])
    parts.append(_table(plan, lang))
    parts.append("\n".join(line for each in LEGEND for line in wrap(each.said_in(lang), width)))
    if plan.left_out:
        parts.append("\n".join(wrap(_left_out(plan).said_in(lang), width)))
    begun = wrap(("* " if len(plan.steps) > 1 else "") + advice(plan).said_in(lang), width)
    reasons = [line for each in plan.reasons for line in _listed(each, lang, width)]
    assert plan.begin is not None
    step = plan.step(plan.begin)
    hazard = _set_in(step.method.hazard, lang, width)
    parts.append("\n".join([*begun, *reasons, *hazard]))
    parts += _settings(step, frameworks, lang, width)
    return "\n\n".join(parts)


def _table(plan: Plan, lang: Language) -> str:
    rows = [[each.said_in(lang) for each in HEADS]]
    rows += [[cell.said_in(lang) for cell in row.cells] for row in table(plan)]
    marks = [" ", *("*" if row.begin else " " for row in table(plan))]
    widths = [max(columns(row[place]) for row in rows) + _GAP for place in range(len(HEADS))]
    lines = [
        f"{mark} " + "".join(padded(cell, width) for cell, width in zip(row, widths, strict=True))
        for mark, row in zip(marks, rows, strict=True)
    ]
    return "\n".join(line.rstrip() for line in lines)


def _settings(step: Step, frameworks: Sequence[str], lang: Language, width: int) -> list[str]:
    found = []
    for each in step.settings:
        if each.framework in frameworks:
            name, what = NAMES[each.framework], each.what
            head = Text(f"{name}, {what.en}:", f"{name}，{what.zh}：")
            told = [line for why in each.announced.values() for line in _set_in(why, lang, width)]
            found.append("\n".join([head.said_in(lang), each.paste, *told]))
    asked = [each for each in step.missing if each.framework in frameworks]
    for why in dict.fromkeys(each.why for each in asked):
        names = ", ".join(NAMES[each.framework] for each in asked if each.why == why)
        said = Text(f"{names}: {why.en}", f"{names}：{why.zh}")
        found.append("\n".join(wrap(said.said_in(lang), width)))
    return found


def _left_out(plan: Plan) -> Text:
    names = ", ".join(method.id for method, _ in plan.left_out)
    why = plan.left_out[0][1]
    return Text(f"left out: {names}: {why.en}", f"未列出：{names}：{why.zh}")


def _listed(text: Text, lang: Language, width: int) -> list[str]:
    first, *rest = wrap(text.said_in(lang), width - 4)
    return [f"{_INDENT}- {first}", *(f"{_INDENT}  {line}" for line in rest)]


def _set_in(text: Text, lang: Language, width: int) -> list[str]:
    return [_INDENT + line for line in wrap(text.said_in(lang), width - len(_INDENT))]
