"""What a chapter of the story is made of: sentences, pictures, tables, one question.

A ``Story`` is written by hand and holds no number; ``told`` fills it with those of one run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clockhands.demo.speech import said
from clockhands.language import Text


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture in the gallery; file names are relative to ``index.html``.

    still   what stands for a moving picture where motion is unwelcome, empty for a picture that stands still
    data    the file with exactly the numbers that are drawn
    """

    file: str
    width: int
    height: int
    alt: Text
    caption: Text
    data: str
    still: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Numbers side by side; ``data`` is the file with them at full precision."""

    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: Text
    data: str


@dataclass(frozen=True)
class Belief:
    """Something that is often said, and what the numbers of this run say."""

    said: Text
    found: Text


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """One step of the story, ready to be read.

    numbers   the values behind the sentences, by name, so that they can be checked against their source
    missing   why the chapter could not be made here and what to install, ``None`` if it was made
    """

    title: Text
    paragraphs: tuple[Text, ...] = ()
    figures: tuple[Figure | Table, ...] = ()
    surprise: Text | None = None
    beliefs: tuple[Belief, ...] = ()
    question: Text | None = None
    answer: Text | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    missing: Text | None = None


@dataclass(frozen=True, kw_only=True)
class Story:
    """The sentences of a chapter, with ``{name:spec}`` fields where its numbers and tokens go."""

    title: Text
    paragraphs: tuple[Text, ...]
    surprise: Text
    beliefs: tuple[Belief, ...] = ()
    question: Text
    answer: Text

    def told(
        self, numbers: Mapping[str, float], figures: Sequence[Figure | Table], **words: str | Text
    ) -> Chapter:
        """The chapter of this run; ``words`` fill the fields that aren't numbers."""

        def fill(sentence: Text) -> Text:
            return said(sentence, **numbers, **words)

        return Chapter(
            title=self.title,
            paragraphs=tuple(map(fill, self.paragraphs)),
            figures=tuple(figures),
            surprise=fill(self.surprise),
            beliefs=tuple(Belief(fill(one.said), fill(one.found)) for one in self.beliefs),
            question=fill(self.question),
            answer=fill(self.answer),
            numbers=dict(numbers),
        )
