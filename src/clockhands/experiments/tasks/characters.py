"""Guessing the next character of a text, in windows longer than those trained on."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.experiments.tasks.task import MULTIPLES, Items, Task
from clockhands.language import Text

HELD_OUT = 0.2
"""Share of the text at its end that is not trained on: its first half to choose by, its second for tests."""
MOST_CHARACTERS = 2000
RARE = "<rare>"


@final
class Characters(Task):
    """Next-character loss, nats a character; length: characters of a window that are guessed.

    text    is cut into what is trained on, what rates are chosen by, and what is tested, in this order
    Windows of a test do not overlap and start with nothing before them, so the first characters of each are
    hard for every scheme: compare the loss by position too.

    Characters seen once in training, and those past the 2,000 commonest, are one token. Raises
    ClockhandsError for a text too short to hold two windows of the longest test.
    """

    id: ClassVar[str] = "characters"
    title: ClassVar[Text] = Text("Next character", "预测下一个字符")
    exact: ClassVar[bool] = False

    def __init__(self, length: int, text: str):
        self.length = length
        held_out = int(len(text) * HELD_OUT)
        widest = int(length * MULTIPLES[-1]) + 1
        if held_out // 2 < 2 * widest:
            needed = int(4 * widest / HELD_OUT) + 2
            raise ClockhandsError(
                f"the text has {len(text):,} characters, and tests with windows of {widest:,} need {needed:,}"
                ": give a longer text or a shorter context",
                f"文本有 {len(text):,} 个字符，而窗口为 {widest:,} 的测试需要 {needed:,} 个："
                "请给出更长的文本或更短的上下文",
            )
        start = len(text) - held_out
        counts = Counter(text[:start])
        known = [one for one, count in counts.most_common(MOST_CHARACTERS) if count > 1]
        self.vocabulary = (RARE, *known)
        ids = {character: index for index, character in enumerate(self.vocabulary)}
        numbered = np.fromiter((ids.get(one, 0) for one in text), dtype=np.int64, count=len(text))
        self._train, self._check = numbered[:start], numbered[start : start + held_out // 2]
        self._test = numbered[start + held_out // 2 :]

    def longest(self) -> int:
        return self.lengths[-1] + 1

    def drawn(self, generator: np.random.Generator, rows: int) -> Items:
        return self._windows(self._train, generator, rows)

    def check(self, seed: int, rows: int) -> Items:
        return self._windows(self._check, self._generator(seed, 1), rows)

    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        """The first windows of the text kept for tests; whatever the seed, so that seeds share them."""
        count = min(rows, (len(self._test) - 1) // length)
        starts = np.arange(count) * length
        return self._cut(self._test, starts, length)

    def _windows(self, ids: NDArray[np.int64], generator: np.random.Generator, rows: int) -> Items:
        return self._cut(ids, generator.integers(len(ids) - self.length, size=rows), self.length)

    def _cut(self, ids: NDArray[np.int64], starts: NDArray[np.int64], length: int) -> Items:
        tokens = ids[starts[:, None] + np.arange(length + 1)]
        asked = np.ones(tokens.shape, dtype=np.bool_)
        asked[:, 0] = False
        return Items(tokens, asked)
