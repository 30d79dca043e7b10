"""Tasks of an encoder, which sees all letters and says something at each place, all at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np

from clockhands.experiments.tasks.task import MARKS, PAD, Items, Task
from clockhands.language import Text

LETTERS = tuple("abcdefghij")


class _AtOnce(Task):
    """One letter is to be said at each place of a string of ten letters; length: letters of it."""

    unit: ClassVar[Text] = Text("letters", "字母数")
    causal: ClassVar[bool] = False

    def __init__(self, length: int, multiples: Sequence[float] | None = None):
        super().__init__(length, multiples)
        self.vocabulary = (*MARKS, *LETTERS)

    @abstractmethod
    def said(self, letters: list[int]) -> list[int]:
        """What is right at each place."""

    def width(self, length: int) -> int:
        return length

    def drawn(self, generator: np.random.Generator, rows: int) -> Items:
        return self._items(generator, generator.integers(1, self.length + 1, rows).tolist())

    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        return self._items(generator, [length] * rows)

    def _items(self, generator: np.random.Generator, lengths: list[int]) -> Items:
        tokens = np.full((len(lengths), max(lengths)), PAD, dtype=np.int64)
        targets = tokens.copy()
        for row, length in enumerate(lengths):
            letters = (len(MARKS) + generator.integers(len(LETTERS), size=length)).tolist()
            tokens[row, :length], targets[row, :length] = letters, self.said(letters)
        return Items(tokens, tokens != PAD, targets)


@final
class ReverseAtOnce(_AtOnce):
    """The string from its end. An encoder without positions sees a bag of letters and can't know it."""

    id: ClassVar[str] = "reverse-at-once"
    title: ClassVar[Text] = Text("Reverse, by an encoder", "倒序（编码器）")

    def said(self, letters: list[int]) -> list[int]:
        return letters[::-1]


@final
class RepeatAtOnce(_AtOnce):
    """Each letter again, where it stands: needs no position, so it can't show what one is good for."""

    id: ClassVar[str] = "repeat-at-once"
    title: ClassVar[Text] = Text("Repeat, by an encoder", "照抄（编码器）")

    def said(self, letters: list[int]) -> list[int]:
        return letters
