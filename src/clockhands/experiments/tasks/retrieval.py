"""Finding again what stood somewhere in the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np

from clockhands.experiments.tasks.task import Answering, Items
from clockhands.language import Text

VALUES = 10


@final
class Recall(Answering):
    """Keys with a value each, then one of the keys; its value is the answer; length: keys.

    The keys of a question differ. There are as many as the longest test needs, all met in training
    (associative recall, Ba et al. 2016; Arora et al. 2023, arXiv 2312.04927, ask for several at once).
    """

    id: ClassVar[str] = "recall"
    title: ClassVar[Text] = Text("Associative recall", "联想回忆")
    unit: ClassVar[Text] = Text("keys", "键数")
    symbols: ClassVar[tuple[str, ...]] = tuple(map(str, range(VALUES)))  # keys come after them
    chance: ClassVar[float] = 1 / VALUES

    def __init__(self, length: int, multiples: Sequence[float] | None = None):
        super().__init__(length, multiples)
        self.keys = self.lengths[-1]
        self.vocabulary = (*self.vocabulary, *(f"<{key}>" for key in range(self.keys)))

    def width(self, length: int) -> int:
        return 3 + 2 * length + 2  # the marks, keys and values, the key asked for and its value

    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        keys = VALUES + generator.permutation(self.keys)[:length]
        pairs = np.stack((keys, generator.integers(VALUES, size=length)), axis=1)
        return [*pairs.reshape(-1).tolist(), int(keys[generator.integers(length)])]

    def answer(self, question: Sequence[int]) -> list[int]:
        return [question[question.index(question[-1]) + 1]]


@final
class Passkey(Answering):
    """Letters with three digits among them, which are the answer; length: letters around them.

    Tests put them at five depths in turn, from the beginning (0) to the end (1) of the letters (Mohtashami
    and Jaggi 2023, arXiv 2305.16300); training puts them anywhere.
    """

    id: ClassVar[str] = "passkey"
    title: ClassVar[Text] = Text("Passkey", "寻找口令")
    symbols: ClassVar[tuple[str, ...]] = (*"0123456789", *"abcdefghij")
    chance: ClassVar[float] = 0.1**3
    multiples: ClassVar[tuple[float, ...]] = (1.0, 1.5, 2.0, 4.0, 8.0)
    groups: ClassVar[tuple[str, ...]] = ("0", "0.25", "0.5", "0.75", "1")

    def width(self, length: int) -> int:
        return 3 + length + 2 * 3

    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        return self._hidden(generator, length, int(generator.integers(length + 1)))

    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        depths = [float(self.groups[row % len(self.groups)]) for row in range(rows)]
        return self._items([self._hidden(generator, length, round(depth * length)) for depth in depths])

    def answer(self, question: Sequence[int]) -> list[int]:
        return [one for one in question if one < VALUES]

    def _hidden(self, generator: np.random.Generator, length: int, at: int) -> list[int]:
        letters = generator.integers(VALUES, 2 * VALUES, size=length).tolist()
        return [*letters[:at], *generator.integers(VALUES, size=3).tolist(), *letters[at:]]
