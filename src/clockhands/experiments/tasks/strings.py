"""Questions that are random strings over ten letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np

from clockhands.experiments.tasks.task import Answering
from clockhands.language import Text


class _Letters(Answering):
    symbols: ClassVar[tuple[str, ...]] = tuple("abcdefghij")

    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        return generator.integers(len(self.symbols), size=length).tolist()


@final
class Copy(_Letters):
    """The string again; length: letters of it."""

    id: ClassVar[str] = "copy"
    title: ClassVar[Text] = Text("Copy", "复制")

    def answer(self, question: Sequence[int]) -> list[int]:
        return list(question)


@final
class Reverse(_Letters):
    """The string from its end; length: letters of it."""

    id: ClassVar[str] = "reverse"
    title: ClassVar[Text] = Text("Reverse", "倒序")

    def answer(self, question: Sequence[int]) -> list[int]:
        return list(question)[::-1]


@final
class Sort(_Letters):
    """Its letters in the order of the alphabet, each as often as it was there; length: letters of it."""

    id: ClassVar[str] = "sort"
    title: ClassVar[Text] = Text("Sort", "排序")

    def answer(self, question: Sequence[int]) -> list[int]:
        return sorted(question)


@final
class Count(_Letters):
    """As many ``a`` as the string has letters, whatever they are; length: letters of it."""

    id: ClassVar[str] = "count"
    title: ClassVar[Text] = Text("Count", "数个数")

    def answer(self, question: Sequence[int]) -> list[int]:
        return [0] * len(question)
