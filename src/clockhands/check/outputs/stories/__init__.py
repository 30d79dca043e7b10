"""Pictures that tell what a rule looks for: numbers computed by this project's formulas, right and wrong."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.check.finding import Rule
    from clockhands.plots.picture import Picture


def draw(rule: Rule, out: str | PathLike[str], lang: Language = "en") -> Path:
    """Write the picture of a rule as ``.png``, ``.svg`` or ``.pdf`` (``.npz``, ``.csv``: its numbers).

    Raises ClockhandsError for another ending, before anything is drawn, and for a place that can't be
    written.
    """
    from clockhands.plots.picture import require_format

    require_format(out)
    return picture_of(rule, lang).save(out)


def picture_of(rule: Rule, lang: Language = "en") -> Picture:
    """The picture: the rule's title, one sentence with its number, and what it looks like."""
    from clockhands.check.outputs.stories.table import STORIES
    from clockhands.plots.sheet import sheet

    told = STORIES[rule.code]()
    code = Text(rule.code, rule.code)
    with sheet(lang, rule.title, about=code, says=(told.says,), body=told.body) as page:
        return page.picture(*told.draw(page))


__all__ = ["draw", "picture_of"]
