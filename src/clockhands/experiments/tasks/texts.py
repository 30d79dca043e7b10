"""Guessing words and characters of a text, in windows longer than those trained on."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.experiments.tasks.task import MARKS, PAD, Items, Task
from clockhands.language import Text

HELD_OUT = 0.2
"""Share of the text at its end that is not trained on: its first half to choose by, its second for tests."""
MOST_TOKENS = 1000
RARE = "<rare>"
UNKNOWN = "x"  # as jieba marks what is no word
HIDDEN = "<hidden>"
HIDDEN_SHARE = 0.15
"""Of the words of a window (Devlin et al. 2018, section 3.1)."""


class Reading(Task):
    """Loss of tokens of a text, nats a token.

    text    is cut into what is trained on, what rates are chosen by, and what is tested, in this order

    Windows of a test do not overlap. Tokens seen once in training, and those past the 1,000 commonest, are
    one token. Raises ClockhandsError for a text too short to hold two windows of the longest test.
    """

    exact: ClassVar[bool] = False
    reads_text: ClassVar[bool] = True
    multiples: ClassVar[tuple[float, ...]] = (1.0, 1.5, 2.0, 4.0, 8.0)
    marks: ClassVar[tuple[str, ...]] = ()
    """What the vocabulary has before the tokens of the text."""

    def __init__(self, length: int, text: str, multiples: Sequence[float] | None = None):
        super().__init__(length, multiples)
        written, tags = self.split(text)
        held_out = int(len(written) * HELD_OUT)
        widest = self.lengths[-1] + 1
        if held_out // 2 < 2 * widest:
            needed = int(4 * widest / HELD_OUT) + 2
            raise ClockhandsError(
                f"the text has {len(written):,} {self.unit.en}, and tests with windows of {widest:,} need "
                f"{needed:,}: give a longer text or a shorter context",
                f"文本有 {len(written):,} 个（{self.unit.zh}），而窗口为 {widest:,} 的测试需要 {needed:,} "
                "个：请给出更长的文本或更短的上下文",
            )
        start = len(written) - held_out
        counts = Counter(written[:start])
        known = [one for one, count in counts.most_common(MOST_TOKENS) if count > 1]
        self.vocabulary = (*self.marks, RARE, *known)
        ids = {token: index for index, token in enumerate(self.vocabulary)}
        rare = ids[RARE]
        self._ids = np.fromiter((ids.get(one, rare) for one in written), dtype=np.int64, count=len(written))
        self.tags = tuple(dict.fromkeys(tags))
        kinds = {tag: index for index, tag in enumerate(self.tags)}
        self._kinds = np.fromiter((kinds[tag] for tag in tags), dtype=np.int64) if tags else None
        self._train, self._check = (0, start), (start, start + held_out // 2)
        self._test = (start + held_out // 2, len(written))

    @abstractmethod
    def split(self, text: str) -> tuple[Sequence[str], Sequence[str]]:
        """Its tokens, and the part of speech of each (or none at all)."""

    def drawn(self, generator: np.random.Generator, rows: int) -> Items:
        return self._windows(self._train, generator, rows)

    def check(self, seed: int, rows: int) -> Items:
        return self._windows(self._check, self._generator(seed, 1), rows)

    @abstractmethod
    def _windows(self, part: tuple[int, int], generator: np.random.Generator, rows: int) -> Items:
        """Of the training length, anywhere in that part of the text."""

    def _starts(self, rows: int, length: int) -> NDArray[np.int64]:
        """Of the first windows of the text kept for tests; whatever the seed, so that seeds share them."""
        begin, end = self._test
        return begin + np.arange(min(rows, (end - begin - 1) // length)) * length

    def _at(self, places: NDArray[np.int64], asked: NDArray[np.bool_]) -> Items:
        return Items(self._ids[places], asked, tags=None if self._kinds is None else self._kinds[places])


class NextToken(Reading):
    """Each token is guessed from those before it; length: tokens of a window that are guessed.

    Windows of a test start with nothing before them, so the first tokens of each are hard for every scheme:
    compare the loss by position too, and what ``sliding`` finds.
    """

    def width(self, length: int) -> int:
        return length + 1

    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        return self._cut(self._starts(rows, length), length)

    @property
    def quarter(self) -> int:
        """Tokens at the end of a window that a probe asks for."""
        return max(1, self.length // 4)

    def sliding(self, rows: int, length: int) -> Items:
        """Windows that end at the same places whatever their length; the last quarter of the training length
        is asked for, so that the same tokens are guessed with more and more before them."""
        begin, end = self._test
        longest = self.lengths[-1]
        count = min(rows, (end - begin - 1 - longest) // self.quarter + 1)
        ends = np.linspace(begin + longest, end - 1, count).astype(np.int64)
        items = self._cut(ends - length, length)
        return self._last_quarter(items)

    def shuffled(self, rows: int, *, ordered: bool) -> Items:
        """Windows of the training length whose last quarter is asked for, the rest in order or in none."""
        items = self._last_quarter(self.of_length(np.random.default_rng(0), rows, self.length))
        if ordered:
            return items
        before = items.tokens.shape[1] - self.quarter
        generator = np.random.default_rng(0)
        order = np.array([generator.permutation(before) for _ in items.tokens]).reshape(-1, before)
        whole = np.concatenate((order, np.tile(np.arange(before, before + self.quarter), (len(order), 1))), 1)
        moved = (
            None if one is None else np.take_along_axis(one, whole, 1) for one in (items.tokens, items.tags)
        )
        tokens, tags = moved
        assert tokens is not None
        return items._replace(tokens=tokens, tags=tags)

    def _last_quarter(self, items: Items) -> Items:
        asked = np.zeros_like(items.asked)
        asked[:, -self.quarter :] = True
        return items._replace(asked=asked)

    def _windows(self, part: tuple[int, int], generator: np.random.Generator, rows: int) -> Items:
        begin, end = part
        return self._cut(begin + generator.integers(end - begin - self.length, size=rows), self.length)

    def _cut(self, starts: NDArray[np.int64], length: int) -> Items:
        places = starts[:, None] + np.arange(length + 1)
        asked = np.ones(places.shape, dtype=np.bool_)
        asked[:, 0] = False
        return self._at(places, asked)


@final
class Characters(NextToken):
    """Of characters as Unicode counts them."""

    id: ClassVar[str] = "characters"
    title: ClassVar[Text] = Text("Next character", "预测下一个字符")
    unit: ClassVar[Text] = Text("characters", "字符数")
    each: ClassVar[Text] = Text("character", "字符")

    def split(self, text: str) -> tuple[Sequence[str], Sequence[str]]:
        return text, ()


@final
class Bytes(NextToken):
    """Of the bytes of UTF-8: a Chinese character has three."""

    id: ClassVar[str] = "bytes"
    title: ClassVar[Text] = Text("Next byte", "预测下一个字节")
    unit: ClassVar[Text] = Text("bytes", "字节数")
    each: ClassVar[Text] = Text("byte", "字节")

    def split(self, text: str) -> tuple[Sequence[str], Sequence[str]]:
        return [f"{byte:02x}" for byte in text.encode()], ()


@final
class Words(NextToken):
    """Of words as jieba cuts them, with their parts of speech. Needs jieba, and a minute for a novel."""

    id: ClassVar[str] = "words"
    title: ClassVar[Text] = Text("Next word", "预测下一个词")
    unit: ClassVar[Text] = Text("words", "词数")
    each: ClassVar[Text] = Text("word", "词")

    def split(self, text: str) -> tuple[Sequence[str], Sequence[str]]:
        return _words(text)


@final
class MaskedWords(Reading):
    """Of words that are hidden in a window, by an encoder, which sees all others; length: words of it.

    Three in twenty words of each window are hidden, always as many; in tests the same ones for all seeds.
    """

    id: ClassVar[str] = "masked-words"
    title: ClassVar[Text] = Text("Hidden words, by an encoder", "填词（编码器）")
    unit: ClassVar[Text] = Text("words", "词数")
    each: ClassVar[Text] = Text("word", "词")
    causal: ClassVar[bool] = False
    marks: ClassVar[tuple[str, ...]] = (MARKS[PAD], HIDDEN)

    def split(self, text: str) -> tuple[Sequence[str], Sequence[str]]:
        return _words(text)

    def width(self, length: int) -> int:
        return length

    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        return self._hide(self._starts(rows, length), length, np.random.default_rng(length))

    def _windows(self, part: tuple[int, int], generator: np.random.Generator, rows: int) -> Items:
        begin, end = part
        starts = begin + generator.integers(end - begin - self.length, size=rows)
        return self._hide(starts, self.length, generator)

    def _hide(self, starts: NDArray[np.int64], length: int, generator: np.random.Generator) -> Items:
        order = generator.random((len(starts), length)).argsort(axis=1)
        items = self._at(starts[:, None] + np.arange(length), order < max(1, round(HIDDEN_SHARE * length)))
        hidden = np.where(items.asked, self.vocabulary.index(HIDDEN), items.tokens)
        return items._replace(tokens=hidden, targets=items.tokens)


def _words(text: str) -> tuple[list[str], list[str]]:
    """As jieba cuts them, and the part of speech of each."""
    from clockhands.text import tag

    tokens = tag(text).tokens
    return [one.key for one in tokens], [one.tag or UNKNOWN for one in tokens]
