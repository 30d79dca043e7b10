"""Options that several commands share, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from clockhands.cli.bilingual import Argument, Option, language_of
from clockhands.cli.kinds import FILE, Choice
from clockhands.errors import ClockhandsError, shown
from clockhands.language import LANGUAGES, Language, Text


def lang_option(**settings: Any) -> Option:
    """``--lang``; a command gets the language of the run, asked for here or by the environment."""
    return Option(
        ["--lang"],
        type=Choice(LANGUAGES),
        callback=_language_of_run,
        help=Text("Language of messages and labels.", "提示和标注的语言。"),
        shown_default=Text("from the locale", "随系统语言"),
        **settings,
    )


def texts_option(default: Text) -> Option:
    """``--text FILE...``: with ``texts_argument``, several files may follow it."""
    return Option(
        ["--text"],
        type=FILE,
        multiple=True,
        help=Text(
            "Text files of your own, one or more: UTF-8, UTF-16 or GB18030.",
            "你自己的文本文件，可以多个：UTF-8、UTF-16 或 GB18030。",
        ),
        shown_default=default,
    )


def texts_argument() -> Argument:
    """Files that stand by themselves, as the second one in ``--text a.txt b.txt``."""
    return Argument(
        ["more_text"],
        type=FILE,
        nargs=-1,
        metavar="[FILE]...",
        help=Text("More files after --text.", "--text 之后的其他文件。"),
    )


def _language_of_run(ctx: click.Context, _: click.Parameter, value: Language | None) -> Language:
    return value or language_of(ctx)


def named_once(settings: Iterable[tuple[str, Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """What ``--set`` says beside what has an option of its own; whatever is said twice is refused."""
    made = dict(given)
    for name, value in settings:
        if name in made:
            first = f"--{name}" if name in given else f"--set {name}"
            raise ClockhandsError(
                f"{first} is {shown(made[name])} and --set {name} is {shown(value)}: leave one out",
                f"{first} 为 {shown(made[name])}，--set {name} 又是 {shown(value)}：请去掉一个",
            )
        made[name] = value
    return made
