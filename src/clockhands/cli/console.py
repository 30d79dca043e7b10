"""What a person reads while a command runs: results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise

import click

from clockhands.language import LANGUAGES, Language, Text, language_of_environment

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What moves the cursor, changes colours, ends a line or turns the writing round."""


def survive_any_console() -> None:
    """A stream that is closed swallows what is written; a character that can't be shown becomes an escape."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 it lives as long as we
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def let_go_of_broken_streams() -> None:
    """What a full disk or a closed pipe did not take is dropped, or Python would fail on it when it exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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


def harmless(text: str) -> str:
    """Lines for stdout in which names and keys of others can't move the cursor or turn the writing round.

    >>> harmless("a\\x1b[2J\\nb")
    'a\\\\x1b[2J\\nb'
    """
    return "\n".join(_CONTROLS.sub(_escaped, line) for line in text.split("\n"))


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def tell(text: Text, lang: Language) -> None:
    """One line of news, on stderr so that results can be piped; where that is full or gone, nothing is said.

    Names of files and what was typed may hold control characters: they are written as escapes.
    """
    line = _CONTROLS.sub(_escaped, text.said_in(lang))
    with suppress(OSError):
        click.echo(line, err=True)


def on_terminal() -> bool:
    """Whether a progress bar can be drawn over again; in a file or a log each state of it would stay."""
    return sys.stderr.isatty()


@contextmanager
def progress_bar(unit: Text, lang: Language) -> Iterator[Callable[[int, int], None]]:
    """What to call with how many steps are done, of how many; a lower number than before begins anew.

    Drawn only where it can be drawn over again, and gone when the block ends.
    """
    from tqdm import tqdm

    name = Text("Drawing", "绘制中").said_in(lang)
    with tqdm(desc=name, unit=unit.said_in(lang), leave=False, disable=not on_terminal()) as bar:

        def progress(done: int, total: int) -> None:
            if done < bar.n or bar.total is None:
                bar.reset(total)
            bar.total = total
            bar.update(done - bar.n)

        yield progress
