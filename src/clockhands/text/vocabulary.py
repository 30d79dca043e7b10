"""Tokens and their numbers."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError, reason_of
from clockhands.writing import written_aside

SPECIALS = ("<pad>", "<unk>", "<bos>")
PAD, UNK, BOS = range(3)
_FORMAT = "clockhands-vocabulary"
_VERSION = 1


@dataclass(frozen=True)
class Vocabulary:
    """Tokens in the order of their ids: ``<pad>`` 0, ``<unk>`` 1, ``<bos>`` 2, then frequent ones first.

    counts  how often each was seen, same order; 0 for the first three

    >>> words = Vocabulary.built([["史进", "打", "史进"]])
    >>> words.encode(["史进", "李逵"]).tolist(), words.decode([3, 1])
    ([3, 1], ('史进', '<unk>'))
    """

    tokens: tuple[str, ...]
    counts: tuple[int, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {token: index for index, token in enumerate(self.tokens) if index >= len(SPECIALS)}
        if self.tokens[: len(SPECIALS)] != SPECIALS or len(ids) != len(self.tokens) - len(SPECIALS):
            raise ClockhandsError(
                f"these {len(self.tokens)} tokens are no vocabulary, which starts with {', '.join(SPECIALS)} "
                "and holds no word twice: use Vocabulary.built",
                f"这 {len(self.tokens)} 个词元不是词表，词表以 {'、'.join(SPECIALS)} 开头，且没有重复的词："
                "请用 Vocabulary.built",
            )
        if len(self.counts) != len(self.tokens):
            raise ClockhandsError(
                f"there are {len(self.counts)} counts for {len(self.tokens)} tokens, but each has one: "
                "use Vocabulary.built",
                f"{len(self.tokens)} 个词元有 {len(self.counts)} 个计数，但应当各有一个："
                "请用 Vocabulary.built",
            )
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def built(cls, texts: Iterable[Iterable[str]], *, min_count: int = 1, largest: int | None = None) -> Self:
        """Every token of ``texts`` seen at least ``min_count`` times; of equal counts the first seen first.

        largest  keep at most this many words beside the three special tokens

        A word of a text that is written like a special token is not taken in: it becomes ``<unk>``.
        """
        counts = Counter(token for text in texts for token in text)
        for special in SPECIALS:
            counts.pop(special, None)
        kept = [(token, count) for token, count in counts.most_common(largest) if count >= min_count]
        return cls._of([token for token, _ in kept], [count for _, count in kept])

    @classmethod
    def _of(cls, words: Sequence[str], counts: Sequence[int]) -> Self:
        return cls((*SPECIALS, *words), (*(0 for _ in SPECIALS), *counts))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Iterable[str]) -> NDArray[np.int64]:
        """Ids ``(t,)`` int64, ``<unk>`` for tokens that it does not know."""
        return np.fromiter((self._ids.get(token, UNK) for token in tokens), dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> tuple[str, ...]:
        """The tokens of ids. Raises ClockhandsError for an id that it does not have."""
        known = list(ids)
        wrong = next((index for index in known if not 0 <= index < len(self)), None)
        if wrong is not None:
            raise ClockhandsError(
                f"{wrong} is the id of no token, for this vocabulary has 0 to {len(self) - 1}: "
                "use the vocabulary that made the ids",
                f"{wrong} 不是任何词元的编号，这份词表只有 0 到 {len(self) - 1}：请用生成这些编号的词表",
            )
        return tuple(self.tokens[index] for index in known)

    def unknown(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """The tokens that it does not know, each once, in order."""
        return tuple(dict.fromkeys(token for token in tokens if token not in self._ids))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON. Raises ClockhandsError if the place can't be written."""
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "tokens": self.tokens[len(SPECIALS) :],
            "counts": self.counts[len(SPECIALS) :],
        }
        with written_aside(path) as aside:
            # ASCII only, so that even half an emoji (a lone surrogate) makes a valid file
            aside.write_text(json.dumps(content), encoding="ascii")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what ``save`` wrote; ClockhandsError if it is missing, damaged or of another version."""
        path = Path(path)
        try:
            content = json.loads(path.read_text(encoding="ascii"))
        except OSError as error:
            reason = reason_of(error)
            raise ClockhandsError(
                f"the vocabulary {path} can't be read: {reason.en}", f"无法读取词表 {path}：{reason.zh}"
            ) from error
        except (ValueError, RecursionError) as error:  # RecursionError: nested too deep
            raise _damaged(path) from error
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise _damaged(path)
        if content.get("version") != _VERSION:
            version = content.get("version")
            raise ClockhandsError(
                f"the vocabulary {path} has version {version}, and this program reads {_VERSION}: "
                "train again, or use the program that wrote it",
                f"词表 {path} 的版本是 {version}，本程序只能读版本 {_VERSION}：请重新训练，或用写出它的程序",
            )
        tokens: Any = content.get("tokens")
        counts: Any = content.get("counts")
        if not (_all_of(tokens, str) and _all_of(counts, int)):
            raise _damaged(path)
        try:
            return cls._of(tokens, counts)
        except ValueError as error:
            raise _damaged(path) from error


def _all_of(values: Any, kind: type) -> bool:
    return isinstance(values, Sequence) and all(type(value) is kind for value in values)


def _damaged(path: Path) -> ClockhandsError:
    return ClockhandsError(
        f"{path} is no vocabulary of clockhands, or is damaged: train again",
        f"{path} 不是 clockhands 的词表，或已损坏：请重新训练",
    )
