"""How far each kind of word moves the hands: the numbers behind ``tagged``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clockhands.errors import ClockhandsError, nearest, shown

JIEBA_TAGS = ("n", "v", "a", "d", "r", "m", "q", "p", "c", "u", "x")
"""Noun, verb, adjective, adverb, pronoun, numeral, measure, preposition, conjunction, particle, other."""

Sensitivity = Sequence[float] | Mapping[str, float] | str | None
"""A step for each tag, or only those that aren't 1: as a mapping, or as text, ``"n=2, u=0.5"``."""


def one_each(given: Sensitivity, tags: tuple[str, ...]) -> tuple[float, ...]:
    """A step for each tag, 1 where none is given. Raises ClockhandsError where names or counts don't fit.

    >>> one_each({"v": 2.0}, ("n", "v"))
    (1.0, 2.0)
    """
    if given is None:
        return (1.0,) * len(tags)
    if isinstance(given, str):
        return one_each(_parsed(given), tags)
    if isinstance(given, Mapping):
        strange = next((tag for tag in given if tag not in tags), None)
        if strange is not None:
            hint = nearest(str(strange), tags)
            raise ClockhandsError(
                f"sensitivity names the tag '{strange}', which is not among the tags: {hint.en}",
                f"sensitivity 里的词性“{strange}”不在 tags 中：{hint.zh}",
            )
        return tuple(_step(given.get(tag, 1.0)) for tag in tags)
    if not isinstance(given, Sequence):
        raise ClockhandsError(
            f"sensitivity is {shown(given)}, but each tag needs a number: "
            "give a list, a mapping or text (n=2)",
            f"sensitivity 为 {shown(given)}，而每个词性都要有一个数：请给出列表、字典，或 n=2 这样的文字",
        )
    if len(given) != len(tags):
        raise ClockhandsError(
            f"sensitivity has {len(given)} numbers for {len(tags)} tags: give one for each, or a mapping",
            f"sensitivity 有 {len(given)} 个数，而 tags 有 {len(tags)} 个：请一一对应，或者用字典给出",
        )
    return tuple(map(_step, given))


def _step(value: float) -> float:
    """A whole number as a real one, so that it can be learned; what is no number is left to be refused."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def tag_names(given: Any) -> tuple[str, ...]:
    """Names of tags: a sequence of words, or one text with commas between them.

    >>> tag_names("n, v, x")
    ('n', 'v', 'x')
    """
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",")] if given.strip() else []
    if not isinstance(given, Sequence) or not all(isinstance(name, str) and name for name in given):
        raise ClockhandsError(
            f"tags is {shown(given)}, but each tag must be a word: "
            "give a list of words, or text such as n,v,x",
            f"tags 为 {shown(given)}，而每个词性都必须是文字：请给出文字的列表，或 n,v,x 这样的文字",
        )
    return tuple(given)


def require_different(tags: tuple[str, ...]) -> None:
    """At least one tag, none of them twice."""
    twice = next((tag for tag in tags if tags.count(tag) > 1), None)
    if twice is not None or not tags:
        listed = "empty" if twice is None else shown(tags)
        raise ClockhandsError(
            f"tags is {listed}, but it must name one or more different tags: correct the list",
            f"tags 为 {'空' if twice is None else listed}，但它必须列出至少一个、互不相同的词性：请改正",
        )


def _parsed(text: str) -> dict[str, float]:
    """``"n=2, u=0.5"`` as a mapping."""
    steps: dict[str, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        tag, _, step = part.partition("=")
        try:
            steps[tag.strip()] = float(step)
        except ValueError as error:
            raise ClockhandsError(
                f"sensitivity has {shown(part)}, which isn't of the form tag=number: "
                "write for example n=2,u=0.5",
                f"sensitivity 里的 {shown(part)} 不是“词性=数”的形式：请写成例如 n=2,u=0.5",
            ) from error
    return steps
