"""What a comparison found, printed and written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clockhands.cli.console import tell
from clockhands.cli.page import page_width
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.writing import make_folder, written_aside

if TYPE_CHECKING:
    from clockhands.experiments.report import Report
    from clockhands.experiments.store import Store

REPORT_FILE, PARQUET = "report.html", ".parquet"
FILES = {".html": "html", ".htm": "html", ".md": "md", ".tex": "tex", ".csv": "csv", ".json": "json"}
"""What a report is written as, by the ending of its file; the first of them when a run ends."""


def show(store: Store, form: str, out: Path | None, lang: Language) -> None:
    """Print a comparison in a form, and write it to a file or, of a folder, its pictures."""
    from clockhands.experiments.report import report

    found = report(store)
    if out is not None and out.suffix.lower() not in (*FILES, PARQUET):
        _require_folder(out)
    click.echo(_told(found, form, lang))
    if out is not None and out.suffix.lower() in (*FILES, PARQUET):
        _refuse_own(store, out)
        _write(found, out, lang)
    elif out is not None:
        _draw(found, out, lang)


def _require_folder(out: Path) -> None:
    """Refuse a name that asks for a kind of file which there is none of."""
    if not out.is_dir() and re.fullmatch(r"\.[A-Za-z]{2,5}", out.suffix):
        endings = ", ".join((*FILES, PARQUET))
        raise ClockhandsError(
            f"a report can't be written as {out.name}: use one of {endings}, or the name of a folder for its "
            "pictures",
            f"报告不能写成 {out.name}：可用 {endings}，或给出一个目录名来存图片",
        )


def _refuse_own(store: Store, out: Path) -> None:
    """A report never takes the place of what it is made from."""
    if out.resolve() in {file.resolve() for file in store.files}:
        raise ClockhandsError(
            f"{out} is the comparison itself: give the report another name",
            f"{out} 是比较本身的文件：请给报告换一个名字",
        )


def _write(found: Report, out: Path, lang: Language) -> None:
    if out.suffix.lower() == PARQUET:
        from clockhands.experiments.results import as_parquet

        content = as_parquet(found, lang)
    else:
        content = (_told(found, FILES[out.suffix.lower()], lang) + "\n").encode()
    with written_aside(out) as aside:
        aside.write_bytes(content)
    tell(Text(f"wrote {out}", f"已写入 {out}"), lang)


def _told(found: Report, form: str, lang: Language) -> str:
    from clockhands.cli.compare_words import as_text
    from clockhands.experiments import results

    if form == "json":
        import json

        return json.dumps(results.as_record(found), ensure_ascii=False, indent=2, allow_nan=False)
    if form == "csv":
        return results.as_csv(found, lang).rstrip()
    if form == "html":
        return results.as_page(found, lang).rstrip()
    parts = results.sections(found, lang)
    if form == "text":
        return as_text(parts, page_width())
    return results.as_markdown(parts) if form == "md" else results.as_latex(parts)


def _draw(found: Report, out: Path, lang: Language) -> None:
    from clockhands.experiments.pictures import of_task, over_tasks

    make_folder(out)
    pictures = dict(pair for task in found.design.tasks for pair in of_task(found, task, lang))
    ranks = over_tasks(found, lang)
    for name, picture in (pictures | ({} if ranks is None else {"ranks": ranks})).items():
        path = picture.save(out / f"{name}.png")
        tell(Text(f"wrote {path}", f"已写入 {path}"), lang)


def told_outcomes(stores: list[Store], form: str, lang: Language) -> str:
    """What became of the hypotheses of all parts together, where the form has words for it."""
    from clockhands.cli.compare_words import as_text
    from clockhands.experiments.results import as_markdown
    from clockhands.experiments.results.judged import judged

    section = judged(stores, lang) if form in ("text", "md") else None
    if section is None:
        return ""
    return as_markdown([section]) if form == "md" else as_text([section], page_width())
