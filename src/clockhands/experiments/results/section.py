"""A piece of a report: a heading, perhaps a table, and sentences under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clockhands.experiments.statistics import Interval
from clockhands.language import Language, Text

Table = list[tuple[str, ...]]
"""The head first; empty where there is no table."""

NOTHING = "–"


class Section(NamedTuple):
    """The first row of the table is its head. about: the id of the task that it is about, or empty."""

    heading: str
    table: Table
    sentences: list[str]
    about: str = ""


def head(words: Iterable[Text | str], lang: Language) -> tuple[str, ...]:
    """A row of words in one language; what is plain text stays."""
    return tuple(word.said_in(lang) if isinstance(word, Text) else word for word in words)


def interval(of: Interval | None) -> str:
    """What was measured with the ends of its interval."""
    return NOTHING if of is None else f"{of.value:.3f} [{of.low:.3f}, {of.high:.3f}]"


def named(schemes: Sequence[str]) -> Text:
    """A list of names in a sentence."""
    return Text(", ".join(schemes), "、".join(schemes))
