"""Adding two whole numbers, written either way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np

from clockhands.experiments.tasks.task import Answering
from clockhands.language import Text

PLUS = 10


class _Adding(Answering):
    """Both numbers have as many digits as the length says; the highest is 0 only where it is the only one."""

    symbols: ClassVar[tuple[str, ...]] = (*"0123456789", "+")
    lowest_first: ClassVar[bool]

    unit: ClassVar[Text] = Text("digits", "位数")

    def width(self, length: int) -> int:
        return 5 + 3 * length  # three marks, the plus, and a carry into a new digit

    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        numbers = []
        for _ in range(2):
            digits = generator.integers(10, size=length)
            if length > 1:
                digits[0] = generator.integers(1, 10)
            numbers.append(digits.tolist()[::-1] if self.lowest_first else digits.tolist())
        return [*numbers[0], PLUS, *numbers[1]]

    def answer(self, question: Sequence[int]) -> list[int]:
        at = question.index(PLUS)
        total = self._value(question[:at]) + self._value(question[at + 1 :])
        digits = [int(digit) for digit in str(total)]
        return digits[::-1] if self.lowest_first else digits

    def _value(self, digits: Sequence[int]) -> int:
        ordered = list(digits)[::-1] if self.lowest_first else digits
        return int("".join(map(str, ordered)))


@final
class Addition(_Adding):
    """``12+34`` gives ``46``; length: digits of each number."""

    id: ClassVar[str] = "addition"
    title: ClassVar[Text] = Text("Addition", "加法")
    lowest_first: ClassVar[bool] = False


@final
class ReversedAddition(_Adding):
    """Lowest digit first in all three numbers, so that carries run as the answer is written."""

    id: ClassVar[str] = "addition-reversed"
    title: ClassVar[Text] = Text("Addition, digits reversed", "加法（数字倒写）")
    lowest_first: ClassVar[bool] = True
