"""Formal languages: two that a finite automaton knows, and one that needs a stack."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, final

import numpy as np

from clockhands.experiments.tasks.task import Answering
from clockhands.language import Text


class _YesOrNo(Answering):
    """A string over two letters, and one of them as the answer; half of all guesses are right."""

    chance: ClassVar[float] = 0.5

    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        return generator.integers(2, size=length).tolist()


@final
class Parity(_YesOrNo):
    """Whether the number of ones is odd (Delétang et al. 2022, table 1); length: digits."""

    id: ClassVar[str] = "parity"
    title: ClassVar[Text] = Text("Parity", "奇偶校验")
    unit: ClassVar[Text] = Text("digits", "位数")
    symbols: ClassVar[tuple[str, ...]] = ("0", "1")

    def answer(self, question: Sequence[int]) -> list[int]:
        return [sum(question) % 2]


@final
class EvenPairs(_YesOrNo):
    """Whether the neighbours that differ (ab, ba) are odd in number, b for yes; length: letters."""

    id: ClassVar[str] = "even-pairs"
    title: ClassVar[Text] = Text("Even pairs", "偶数对")
    symbols: ClassVar[tuple[str, ...]] = ("a", "b")

    def answer(self, question: Sequence[int]) -> list[int]:
        return [sum(one != other for one, other in pairwise(question)) % 2]


@final
class Dyck(Answering):
    """The start of a word of two kinds of brackets, to be closed; length: brackets given.

    At most eight are open at any time, so that longer questions are not deeper ones.
    """

    id: ClassVar[str] = "dyck"
    title: ClassVar[Text] = Text("Dyck-2", "括号匹配（Dyck-2）")
    unit: ClassVar[Text] = Text("brackets", "括号数")
    symbols: ClassVar[tuple[str, ...]] = tuple("([)]")
    deepest: ClassVar[int] = 8

    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        written: list[int] = []
        unclosed: list[int] = []
        for opens, kind in zip(
            generator.random(length) < 0.5, generator.integers(2, size=length), strict=True
        ):
            if not unclosed or (opens and len(unclosed) < self.deepest):
                unclosed.append(int(kind))
                written.append(int(kind))
            else:
                written.append(2 + unclosed.pop())
        return written

    def answer(self, question: Sequence[int]) -> list[int]:
        unclosed: list[int] = []
        for symbol in question:
            if symbol < 2:
                unclosed.append(symbol)
            else:
                unclosed.pop()
        return [2 + kind for kind in reversed(unclosed)]
