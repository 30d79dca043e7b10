"""Options that several commands share."""

from __future__ import annotations

from typing import Any

import click

from clockhands.cli.bilingual import Option, language_of
from clockhands.cli.kinds import Choice
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


def _language_of_run(ctx: click.Context, _: click.Parameter, value: Language | None) -> Language:
    return value or language_of(ctx)
