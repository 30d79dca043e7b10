"""``clockhands claims``: what is said of positional encodings, and whether it holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clockhands.cli.bilingual import Argument, Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import progress_bar
from clockhands.cli.kinds import DIR, Choice
from clockhands.cli.page import page_width
from clockhands.cli.wrapping import wrap
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.claims import Claim, Verdict

    Found = list[tuple[Claim, Verdict]]

HEADINGS = (
    Text("claim", "说法"),
    Text("verdict", "结论"),
    Text("what was found", "结果"),
    Text("source", "出处"),
)
_INDENT = "  "


def as_text(found: Found, lang: Language, width: int) -> str:
    """A paragraph for each claim, and how many came out how."""
    paragraphs = [_paragraph(claim, verdict, lang, width) for claim, verdict in found]
    return "\n\n".join([*paragraphs, _total(found).said_in(lang)])


def _paragraph(claim: Claim, verdict: Verdict, lang: Language, width: int) -> str:
    separator, quotes = Text("; ", "；").said_in(lang), Text('""', "“”").said_in(lang)
    numbers = separator.join(number.text.said_in(lang) for number in verdict.numbers)
    says = (
        claim.statement.said_in(lang).join(quotes),
        verdict.sentence.said_in(lang),
        f"[{numbers}]",
        Text(f"source: {claim.source}", f"出处：{claim.source}").said_in(lang),
    )
    head = Text(f"{claim.id}: {verdict.text.en}", f"{claim.id}：{verdict.text.zh}").said_in(lang)
    lines = [_INDENT + line for one in says for line in wrap(one, width - len(_INDENT))]
    first, *others = wrap(head, width - len(_INDENT))
    return "\n".join([first, *(2 * _INDENT + other for other in others), *lines])


def _total(found: Found) -> Text:
    from clockhands.claims import OUTCOMES

    counts = Counter(verdict.outcome for _, verdict in found)
    parts = [(counts[outcome], name) for outcome, name in OUTCOMES.items() if counts[outcome]]
    return Text(
        f"claims: {len(found)}; " + ", ".join(f"{count} {name.en}" for count, name in parts),
        f"共 {len(found)} 条说法：" + "，".join(f"{count} 条{name.zh}" for count, name in parts),
    )


def as_markdown(found: Found, lang: Language) -> str:
    """A table for a document."""
    rows = [
        tuple(heading.said_in(lang) for heading in HEADINGS),
        ("---",) * len(HEADINGS),
        *(
            (
                f"`{claim.id}` {claim.statement.said_in(lang)}",
                verdict.text.said_in(lang),
                verdict.sentence.said_in(lang),
                claim.source,
            )
            for claim, verdict in found
        ),
    ]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows)


def as_record(claim: Claim, verdict: Verdict) -> dict[str, Any]:
    """One claim for programs, both languages in it."""
    return {
        "id": claim.id,
        "statement": claim.statement._asdict(),
        "verdict": verdict.outcome,
        "condition": None if verdict.condition is None else verdict.condition._asdict(),
        "sentence": verdict.sentence._asdict(),
        "numbers": [
            {"name": number.name._asdict(), "value": number.value, "unit": number.unit._asdict()}
            for number in verdict.numbers
        ],
        "source": claim.source,
    }


def run(names: tuple[str, ...], form: str, out: Path | None, lang: Language) -> None:
    """Check the claims named, or all, print the verdicts, and draw them where a folder is given."""
    from clockhands.claims import named

    found = [(claim, claim.check()) for claim in named(names)]
    if out is not None:
        _draw(found, out, lang)
    if form == "json":
        import json

        records = [as_record(claim, verdict) for claim, verdict in found]
        click.echo(json.dumps(records, ensure_ascii=False, indent=2, allow_nan=False))
    elif form == "md":
        click.echo(as_markdown(found, lang))
    else:
        click.echo(as_text(found, lang, page_width()))


def _draw(found: Found, folder: Path, lang: Language) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with progress_bar(Text("picture", "张"), lang) as progress:
        for done, (claim, verdict) in enumerate(found):
            progress(done, len(found))
            claim.figure(lang, verdict).save(folder / f"{claim.id}.png")


command = Command(
    "claims",
    callback=run,
    help=Text(
        "Check what is said of positional encodings: true, false, or only under conditions, with numbers.",
        "检查关于位置编码的常见说法：成立、不成立，还是有条件地成立，附数字。",
    ),
    examples=(
        "clockhands claims",
        "clockhands claims similarity-decays rope-decays -o claims",
        "clockhands claims --format md --lang zh",
    ),
    params=[
        Argument(
            ["names"],
            nargs=-1,
            metavar="[NAME]...",
            help=Text("Claims to check; all of them by default.", "要检查的说法；不给则全部检查。"),
        ),
        Option(
            ["--format", "form"],
            type=Choice(("text", "json", "md")),
            default="text",
            help=Text("How to print it.", "输出格式。"),
            shown_default="text",
        ),
        Option(
            ["--out", "-o"],
            type=DIR,
            help=Text("Folder for one picture a claim, NAME.png.", "图片文件夹，每条说法一张 NAME.png。"),
            shown_default=Text("no pictures", "不画图"),
        ),
        lang_option(),
    ],
)
