"""What segmenting makes of a text: tokens that know what they are called and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

from clockhands.text.labels import label_of


class Token(NamedTuple):
    """One token.

    key    what a vocabulary counts: the word, the character, or ``<0xE5>`` for a byte
    start  offset in the text where it begins, end: where it ends (characters, as Python counts them)
    tag    part of speech, empty if it was not asked for
    shown  what pictures write in place of ``key``, where that differs
    """

    key: str
    start: int
    end: int
    tag: str = ""
    shown: str = ""

    @property
    def label(self) -> str:
        """What pictures write: short, on one line, nothing invisible in it."""
        return label_of(self.shown or self.key)


@dataclass(frozen=True)
class Segmented(Sequence[Token]):
    """A text with its tokens in order. A slice is a window on the same text.

    >>> text = Segmented("史进 打", (Token("史进", 0, 2), Token("打", 3, 4)))
    >>> text.keys, text.spans
    (('史进', '打'), ((0, 2), (3, 4)))
    >>> text[1:].keys
    ('打',)
    """

    text: str
    tokens: tuple[Token, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(token.key for token in self.tokens)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(token.label for token in self.tokens)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(token.tag for token in self.tokens)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where each token stands: ``text[start:end]`` is what it covers."""
        return tuple((token.start, token.end) for token in self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> Segmented: ...
    def __getitem__(self, index: int | slice) -> Token | Segmented:
        if isinstance(index, slice):
            return replace(self, tokens=self.tokens[index])
        return self.tokens[index]
