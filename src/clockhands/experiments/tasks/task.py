"""What a task is: seeded items to train on and to be tested with, and what an answer to them is worth."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.language import Text

PAD, BEGIN, THEN, END = range(4)
"""Fill at the end of a row; before all; between question and answer; after the answer."""
MARKS = ("<pad>", "<begin>", "<then>", "<end>")

MULTIPLES = (1.0, 1.5, 2.0, 4.0)
"""Test lengths, in training lengths."""

_TRAIN, _CHECK, _TEST = range(3)  # names of streams


class Items(NamedTuple):
    """Rows of a batch.

    tokens   ``(b, t)`` int64
    asked    ``(b, t)`` bool: the tokens to be guessed from the ones before them
    targets  ``(b, t)`` int64 for an encoder, which sees all tokens: what is to be said at each asked place
    tags     ``(b, t)`` int64, indices in ``Task.tags``: the part of speech of each token
    """

    tokens: NDArray[np.int64]
    asked: NDArray[np.bool_]
    targets: NDArray[np.int64] | None = None
    tags: NDArray[np.int64] | None = None

    def part(self, rows: slice | list[int]) -> Items:
        """Some of the rows."""
        return Items(*(None if one is None else one[rows] for one in self))  # pyright: ignore[reportArgumentType]


class Task(ABC):
    """Items of any length, the same for every scheme; none depends on how many were made before it.

    length      longest item trained on, in ``unit``
    vocabulary  how each token id is written
    """

    id: ClassVar[str]
    title: ClassVar[Text]
    unit: ClassVar[Text]
    """What the length counts, and the axis of a picture shows."""
    each: ClassVar[Text] = Text("token", "词元")
    """One of what a loss is counted by."""
    version: ClassVar[int] = 1
    """Raised whenever the same seed would give other items than before."""
    exact: ClassVar[bool] = True
    """Whether an item scores 1 (right) or 0; else its score is its loss, nats a token: lower is better."""
    chance: ClassVar[float] = 0.0
    """Share of items that guessing gets right."""
    causal: ClassVar[bool] = True
    """Whether a token sees only those before it; else the model is an encoder."""
    reads_text: ClassVar[bool] = False
    multiples: ClassVar[tuple[float, ...]] = MULTIPLES
    """Test lengths in training lengths, unless a design has others."""
    groups: ClassVar[tuple[str, ...]] = ()
    """What the items of a test are of, in turn: item i is of group ``i % len(groups)``."""

    length: int
    vocabulary: tuple[str, ...]
    lengths: tuple[int, ...]
    tags: tuple[str, ...] = ()
    """Parts of speech that its tokens have."""

    def __init__(self, length: int, multiples: Sequence[float] | None = None):
        self.length = length
        self.lengths = lengths_of(length, self.multiples if multiples is None else multiples)

    def batch(self, seed: int, step: int, rows: int) -> Items:
        """What is trained on in a step."""
        return self.drawn(self._generator(seed, _TRAIN, step), rows)

    def check(self, seed: int, rows: int) -> Items:
        """Items within the training length, to choose a learning rate by.

        They come from a stream of their own, as tests do. Of short questions there are few: one of them may
        be among those trained on.
        """
        return self.drawn(self._generator(seed, _CHECK), rows)

    def test(self, seed: int, length: int, rows: int) -> Items:
        """Items of one length."""
        return self.of_length(self._generator(seed, _TEST, length), rows, length)

    def longest(self) -> int:
        """Tokens of the longest test row."""
        return self.width(self.lengths[-1])

    @abstractmethod
    def width(self, length: int) -> int:
        """Tokens of the longest row of that length."""

    @abstractmethod
    def drawn(self, generator: np.random.Generator, rows: int) -> Items:
        """Items of mixed lengths up to ``length``."""

    @abstractmethod
    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        """Items of just this length."""

    def _generator(self, seed: int, *names: int) -> np.random.Generator:
        return np.random.default_rng((seed, zlib.crc32(self.id.encode()), *names))


def lengths_of(length: int, multiples: Sequence[float]) -> tuple[int, ...]:
    """Whole lengths of tests, each once.

    >>> lengths_of(3, (1, 1.1, 1.5))
    (3, 4)
    >>> lengths_of(100, (1, 1.15))  # though 100 * 1.15 is a little less than 115
    (100, 115)
    """
    return tuple(dict.fromkeys(int(length * multiple + 1e-9) for multiple in multiples))


class Answering(Task):
    """A question of ``n`` symbols and the one right answer: ``<begin> question <then> answer <end>``.

    An answer counts as right if each of its tokens and the end are guessed, the right ones before them given.
    That is so just where a model that writes on by itself, always the likeliest token, writes the answer.
    """

    symbols: ClassVar[tuple[str, ...]]

    unit: ClassVar[Text] = Text("letters", "字母数")

    def __init__(self, length: int, multiples: Sequence[float] | None = None):
        super().__init__(length, multiples)
        self.vocabulary = (*MARKS, *self.symbols)

    @abstractmethod
    def question(self, generator: np.random.Generator, length: int) -> list[int]:
        """Indices in ``symbols``."""

    @abstractmethod
    def answer(self, question: Sequence[int]) -> list[int]:
        """Indices in ``symbols``."""

    def width(self, length: int) -> int:
        return 3 + 2 * length  # three marks, and no answer is longer than its question

    def drawn(self, generator: np.random.Generator, rows: int) -> Items:
        lengths = generator.integers(1, self.length + 1, rows)
        return self._items([self.question(generator, int(length)) for length in lengths])

    def of_length(self, generator: np.random.Generator, rows: int, length: int) -> Items:
        return self._items([self.question(generator, length) for _ in range(rows)])

    def _items(self, questions: Sequence[list[int]]) -> Items:
        answers = [self.answer(question) for question in questions]
        width = 3 + max(len(q) + len(a) for q, a in zip(questions, answers, strict=True))
        tokens = np.full((len(questions), width), PAD, dtype=np.int64)
        asked = np.zeros(tokens.shape, dtype=np.bool_)
        shift = len(MARKS)
        for row, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            start = 2 + len(question)
            written = [BEGIN, *(shift + q for q in question), THEN, *(shift + a for a in answer), END]
            tokens[row, : len(written)] = written
            asked[row, start : len(written)] = True
        return Items(tokens, asked)
