"""What a person asks of a view besides the scheme: which positions, in which language."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.inputs import FARTHEST
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError, nearest, shown
from clockhands.language import LANGUAGES, Language, Text, language_of_environment
from clockhands.views.room import require_room

USUAL_POSITIONS = 100


@dataclass(frozen=True)
class Settings:
    """``positions``: a rising range that is not empty; ``lang``: the language of labels.

    ``progress`` is called with the number of steps done and of all, by views that take many.
    """

    positions: range
    lang: Language
    progress: Callable[[int, int], None] = lambda count, total: None

    @property
    def count(self) -> int:
        return len(self.positions)

    def places(self, what: Text, numbers_each: int) -> NDArray[np.int64]:
        """The positions as an array, refused where ``numbers_each`` of them are too many to draw."""
        require_room(what, (self.count, numbers_each))
        return np.arange(self.positions.start, self.positions.stop, self.positions.step)


def settled(description: Description, positions: int | range | None, lang: str | None) -> Settings:
    """Settings checked. ``positions``: a count from 0, or a range; by default 100, or as many as there are.

    >>> from clockhands.catalogue import describe
    >>> settled(describe("rope"), range(40, 80), "en").count
    40
    """
    if positions is None:
        most = description.traits.max_position
        positions = USUAL_POSITIONS if most is None else max(1, min(USUAL_POSITIONS, most))
    return Settings(_range(positions), _language(lang))


def _range(positions: Any) -> range:
    if not isinstance(positions, range):
        try:
            if isinstance(positions, bool):
                raise TypeError
            positions = range(operator.index(positions))
        except TypeError as error:
            raise ClockhandsError(
                f"positions is {shown(positions)}: give a whole number such as 100, "
                "or a range such as range(40, 80)",
                f"positions 为 {shown(positions)}：请给出整数（例如 100）或范围（例如 range(40, 80)）",
            ) from error
    # len() of a range beyond sys.maxsize fails; its ends do not.
    if positions.step < 1 or positions.stop <= positions.start:
        span = f"{positions.start}:{positions.stop}"
        raise ClockhandsError(
            f"positions {span} hold nothing: ask for one position or more, going up",
            f"位置 {span} 是空的：请给出至少一个位置，从小到大",
        )
    if max(abs(positions.start), abs(positions.stop)) > FARTHEST:
        raise ClockhandsError(
            f"positions {positions.start}:{positions.stop} are out of reach: "
            "stay within 2^52 either side of zero",
            f"位置 {positions.start}:{positions.stop} 太远：绝对值请不要超过 2^52",
        )
    return positions


def _language(lang: str | None) -> Language:
    if lang is None:
        return language_of_environment()
    for known in LANGUAGES:
        if lang == known:
            return known
    hint = nearest(str(lang), LANGUAGES)
    raise ClockhandsError(f"there is no language '{lang}': {hint.en}", f"没有语言“{lang}”：{hint.zh}")
