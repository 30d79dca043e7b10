"""Axes of positions: what they are called, and how the hands of a head are shared out among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clockhands.catalogue.rules import require_count
from clockhands.errors import ClockhandsError, shown
from clockhands.language import Text

TIME, ROW, COLUMN = Text("time", "时间"), Text("row", "行"), Text("column", "列")

Sections = Sequence[int] | str | None
"""A whole number for each axis: a sequence, or text with commas between them."""


def one_for_each(given: Sections, name: str, axes: tuple[Text, ...]) -> tuple[int, ...]:
    """A whole number for each axis, 0 or more; an axis with 0 is not read.

    >>> one_for_each("16, 24, 24", "mrope_section", (TIME, ROW, COLUMN))
    (16, 24, 24)
    """
    numbers: Any = given
    if isinstance(given, str):
        parts = [part.strip() for part in given.split(",")]
        numbers = [int(part) if part.isdecimal() else part for part in parts]
    if not isinstance(numbers, Sequence) or len(numbers) != len(axes):
        en, zh = ", ".join(axis.en for axis in axes), "、".join(axis.zh for axis in axes)
        example = ",".join(["8"] * len(axes))
        raise ClockhandsError(
            f"{name} is {shown(given)}, but it must have {len(axes)} whole numbers ({en}): "
            f"write {example}, say",
            f"{name} 为 {shown(given)}，但它必须有 {len(axes)} 个整数（{zh}）：请写成例如 {example}",
        )
    for number in numbers:
        require_count(number, f"a number in {name}", least=0)
    return tuple(int(number) for number in numbers)


def require_total(numbers: tuple[int, ...], name: str, total: int, what: Text) -> None:
    """The numbers must add up to ``total``, which is ``what``."""
    if sum(numbers) != total:
        listed = " + ".join(map(str, numbers))
        raise ClockhandsError(
            f"{name} is {listed} = {sum(numbers)}, but it must add up to {total}, {what.en}: change one",
            f"{name} 为 {listed} = {sum(numbers)}，但它们的和必须是 {total}，即{what.zh}：请改其中一个",
        )


def require_split(head_dim: Any, parts: int) -> None:
    """A head that can be split evenly: its width is a multiple of ``parts``.

    >>> require_split(64, 4)
    """
    require_count(head_dim, "head_dim", least=parts)
    if head_dim % parts:
        near = head_dim // parts * parts
        raise ClockhandsError(
            f"head_dim is {head_dim}, but it must be a multiple of {parts}: use {near} or {near + parts}",
            f"head_dim 为 {head_dim}，但它必须是 {parts} 的倍数：请用 {near} 或 {near + parts}",
        )
