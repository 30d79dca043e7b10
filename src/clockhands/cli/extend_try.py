"""``clockhands extend --try``: a text read by the model itself, as it is and with each method."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clockhands.cli.console import harmless, on_terminal, tell
from clockhands.cli.failures import Interrupted
from clockhands.cli.page import page_width
from clockhands.cli.wrapping import columns, padded, wrap
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.extend.trials.found import Found
    from clockhands.extend.trials.words import Table

FOLDER = "tried"


def tried(
    target: str,
    text: Path,
    to: int,
    methods: Sequence[str] | None,
    trained: int | None,
    dtype: str | None,
    full: bool,
    form: str,
    out: str | None,
    lang: Language,
) -> None:
    """Load, read, print and write; Ctrl-C says how to go on."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra(Text("Trying a model", "试用模型"), "hf")
    folder = Path(out or FOLDER)
    if folder.suffix.lower() in (".html", ".htm", ".png", ".svg", ".pdf"):
        raise ClockhandsError(
            f"-o is '{folder}', but a trial is kept in a folder: give the name of one, without an ending",
            f"-o 为“{folder}”，而试验保存在目录里：请给出目录名，不带扩展名",
        )
    from clockhands.cli.check_options import dtype_named
    from clockhands.extend import trial
    from clockhands.real.loading import load
    from clockhands.text import read_text
    from clockhands.training import Stopped

    def say(line: Text) -> None:
        tell(line, lang)

    file = read_text(text)
    say(Text(f"{text}: read as {file.encoding}", f"{text}：按 {file.encoding} 读取"))
    precision = "float32" if dtype is None else dtype_named(dtype).removeprefix("torch.")
    loaded = load(target, dtype=precision, say=say)
    for note in loaded.notes:
        say(note)
    try:
        found = trial(
            loaded.model, file.text, to=to, tokenizer=loaded.tokenizer, name=loaded.name, methods=methods,
            trained=trained, full=full, path=folder, quiet=not on_terminal(), lang=lang, say=say,
        )  # fmt: skip
    except Stopped as stopped:
        command = _command(target, text, to, methods, trained, dtype, full, folder)
        raise Interrupted(
            Text(f"{stopped.text.en} ({command})", f"{stopped.text.zh}（{command}）")
        ) from stopped
    click.echo(harmless(_written(found, form, lang)))
    say(Text(f"wrote {folder / 'report.html'}", f"已写入 {folder / 'report.html'}"))


def _command(
    target: str, text: Path, to: int, methods: Sequence[str] | None, trained: int | None, dtype: str | None,
    full: bool, folder: Path,
) -> str:  # fmt: skip
    """The line that goes on: with all that the numbers hang on."""
    more = [
        *(["--method", *methods] if methods else []),
        *(["--trained", str(trained)] if trained is not None else []),
        *(["--dtype", dtype] if dtype is not None else []),
        *(["--full"] if full else []),
        "-o",
        str(folder),
    ]
    return shlex.join(["clockhands", "extend", target, "--to", str(to), "--try", str(text), *more])


def _written(found: Found, form: str, lang: Language) -> str:
    if form == "json":
        import json

        from clockhands.extend.trials.files import as_record

        return json.dumps(as_record(found), ensure_ascii=False, indent=2, allow_nan=False)
    from clockhands.extend.trials.words import heading, sentences, tables

    width = page_width()
    parts = ["\n".join(wrap(found.design.model, width))]
    parts[0] += "".join(
        f"\n  {line}" for each in heading(found) for line in wrap(each.said_in(lang), width - 2)
    )
    parts += [_table(each, lang, width) for each in tables(found)]
    parts.append("\n".join(line for each in sentences(found) for line in _listed(each, lang, width)))
    return "\n\n".join(parts)


def _table(table: Table, lang: Language, width: int) -> str:
    rows = [[cell.said_in(lang) for cell in row] for row in table.rows]
    widths = [max(columns(row[place]) for row in rows) + 2 for place in range(len(rows[0]))]
    lines = [*wrap(table.title.said_in(lang), width)]
    for at, row in enumerate(rows):
        cells = "".join(padded(cell, each) for cell, each in zip(row, widths, strict=True))
        lines.append(f"{'*' if at in table.best else ' '} {cells}".rstrip())
    return "\n".join(lines)


def _listed(text: Text, lang: Language, width: int) -> list[str]:
    first, *rest = wrap(text.said_in(lang), width - 2)
    return [f"- {first}", *(f"  {line}" for line in rest)]
