"""``clockhands list``: every scheme with what it touches, who proposed it and who uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clockhands.cli.bilingual import Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import tell
from clockhands.cli.kinds import Choice
from clockhands.cli.page import page_width
from clockhands.cli.wrapping import columns, padded, wrap
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.catalogue import Description

HEADINGS = (
    Text("id", "名称"),
    Text("touches", "作用于"),
    Text("relative", "相对"),
    Text("learned", "可学习"),
    Text("source", "出处"),
    Text("models", "用它的模型"),
)
_EXPERIMENT = Text("experiment", "实验")
_YES, _NO = Text("yes", "是"), Text("no", "否")
_JOINED = Text(", ", "、")


def row(scheme: type[Description], lang: Language) -> tuple[str, ...]:
    """One scheme as the cells under ``HEADINGS``."""
    from clockhands.catalogue.touching import touched  # the help of all commands needs no schemes

    card = scheme.card
    first = [source.authors.split(",")[0] + f" {source.year}" for source in card.sources]
    if not first:
        first = [_EXPERIMENT.said_in(lang)]
    joined = _JOINED.said_in(lang)
    return (
        card.id,
        touched(scheme).said_in(lang),
        (_YES if card.traits.relative else _NO).said_in(lang),
        (_YES if card.traits.learned else _NO).said_in(lang),
        joined.join(first),
        joined.join(card.users(lang)),
    )


def as_text(rows: list[tuple[str, ...]], width: int) -> str:
    """Columns in line; the last one is wrapped under itself."""
    widths = [max(columns(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    indent = sum(widths) + 2 * len(widths)
    lines = []
    for *cells, last in rows:
        start = "".join(padded(cell, width) + "  " for cell, width in zip(cells, widths, strict=True))
        first, *others = wrap(last, max(width - indent, 20)) or [""]
        lines += [(start + first).rstrip(), *(" " * indent + other for other in others)]
    return "\n".join(lines)


def as_markdown(rows: list[tuple[str, ...]]) -> str:
    """A table for a README."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *body))


def as_record(scheme: type[Description]) -> dict[str, Any]:
    """One scheme for programs, both languages in it."""
    from dataclasses import asdict

    from clockhands.catalogue.touching import touched

    card = scheme.card
    return {
        "id": card.id,
        "name": card.name,
        "title": card.title._asdict(),
        "idea": card.idea._asdict(),
        "touches": touched(scheme)._asdict(),
        "hooks": list(scheme().touches()),
        "formula": card.formula,
        "traits": asdict(card.traits),
        "sources": [asdict(source) for source in card.sources],
        "origin": card.origin and card.origin._asdict(),
        "related": [asdict(source) for source in card.related],
        "used_by": [{"en": en, "zh": zh} for en, zh in zip(card.users("en"), card.users("zh"), strict=True)],
        "parameters": list(scheme.parameters()),
    }


def run(form: str, lang: Language) -> None:
    """Print every scheme, those of other packages too; what is wrong with one of these is said beside."""
    from clockhands.catalogue import SCHEMES
    from clockhands.errors import ClockhandsError

    schemes = []
    for id in SCHEMES:
        try:
            schemes.append(SCHEMES[id])
        except ClockhandsError as error:  # another package's fault hides nobody else
            tell(error.text, lang)
    if form == "json":
        import json

        click.echo(json.dumps([as_record(scheme) for scheme in schemes], ensure_ascii=False, indent=2))
        return
    headings = tuple(heading.said_in(lang) for heading in HEADINGS)
    rows = [headings, *(row(scheme, lang) for scheme in schemes)]
    click.echo(as_text(rows, page_width()) if form == "text" else as_markdown(rows))


command = Command(
    "list",
    callback=run,
    help=Text(
        "List every scheme: what it touches, who proposed it, who uses it.",
        "列出所有方案：作用于哪里、谁提出、谁在用。",
    ),
    examples=("clockhands list", "clockhands list --format json"),
    params=[
        Option(
            ["--format", "form"],
            type=Choice(("text", "json", "md")),
            default="text",
            help=Text("How to print it.", "输出格式。"),
            shown_default="text",
        ),
        lang_option(),
    ],
)
