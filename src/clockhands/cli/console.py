"""What a person reads while a command runs: results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from clockhands.language import LANGUAGES, Language, Text, language_of_environment


def survive_any_encoding() -> None:
    """A console that can't show a character gets an escape in its place, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def language_asked(arguments: Sequence[str]) -> Language:
    """The language of ``--lang`` if it is given and known, else that of the environment.

    Read before the arguments are parsed, so that a mistake in them can be answered in it.
    """
    asked = language_of_environment()
    for name, following in pairwise((*arguments, "")):
        value = following if name == "--lang" else name.removeprefix("--lang=")
        for language in LANGUAGES:
            if value == language and name.startswith("--lang"):
                asked = language
    return asked


def tell(text: Text, lang: Language) -> None:
    """One line of news, on stderr so that results can be piped."""
    click.echo(text.said_in(lang), err=True)
