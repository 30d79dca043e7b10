"""From texts to numbered tokens: what is trained on, what is held out, what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError
from clockhands.language import Text, counted
from clockhands.text import SAMPLES, Segmented, Segmenter, Vocabulary, parse_window
from clockhands.text.labels import label_of
from clockhands.training.settings import CHARS, LONGEST, AttendSettings

SHORT_TEXT = 2_000
DRAWN, FIRST = 3, 60


class Numbered(NamedTuple):
    """Tokens of one text: ids ``(t,)``; kinds ``(t,)``: the tag of each, where the scheme reads tags."""

    ids: NDArray[np.int64]
    kinds: NDArray[np.int64] | None = None

    def part(self, window: slice) -> Numbered:
        """The tokens of a window."""
        return Numbered(self.ids[window], None if self.kinds is None else self.kinds[window])


@dataclass(frozen=True)
class Corpus:
    """All that a run reads.

    train, held_out  tokens of each text, before and after the place where it is cut
    sentences        to draw, as they were segmented
    notes            what a person should know of how it was made
    """

    vocabulary: Vocabulary
    train: tuple[Numbered, ...]
    held_out: tuple[Numbered, ...]
    sentences: tuple[Segmented, ...]
    notes: tuple[Text, ...] = ()


def prepared(settings: AttendSettings) -> Corpus:
    """Segment the texts of ``settings``, count words, number tokens.

    Raises ClockhandsError if nothing is left to train on, or a sentence is empty, one token, or too long.
    """
    segmenter = segmenter_for(settings)
    sentences = tuple(drawable(segmenter(sentence), settings.tokens) for sentence in settings.sentences)
    cut_texts, notes = _texts(settings)
    texts = [text for text in map(segmenter, cut_texts) if len(text)]
    _require_tokens(texts)
    sentences = sentences or _beginnings(settings, texts)
    if settings.task == "reconstruct":
        texts, notes = list(sentences), []
    share = 0.0 if settings.task == "reconstruct" else settings.held_out
    halves = [_cut(text, share) for text in texts]
    train, held_out = [half[0] for half in halves], [half[1] for half in halves]
    count = sum(map(len, train))
    least = settings.min_count or (1 if count <= SHORT_TEXT else 2)
    vocabulary = Vocabulary.built([text.keys for text in train], min_count=least)
    description = settings.description()
    return Corpus(
        vocabulary,
        tuple(numbered(text, vocabulary, description) for text in train),
        tuple(numbered(text, vocabulary, description) for text in held_out if len(text)),
        sentences,
        tuple(notes),
    )


def segmenter_for(settings: AttendSettings) -> Segmenter:
    """Cuts texts as these settings ask; with parts of speech where the scheme reads them."""
    return Segmenter(
        settings.tokenizer, settings.lang, dictionary=settings.dictionary,
        punctuation=settings.punctuation, tags=bool(settings.description().kinds),
    )  # fmt: skip


def numbered(text: Segmented, vocabulary: Vocabulary, description: Description) -> Numbered:
    """The ids of a text's tokens, and their tags where the scheme reads them."""
    kinds = None
    if description.kinds:
        kinds = np.fromiter((description.kind_of(tag) for tag in text.tags), dtype=np.int64)
    return Numbered(vocabulary.encode(text.keys), kinds)


def drawable(text: Segmented, window: str | None) -> Segmented:
    """The window of a sentence that is to be drawn. ClockhandsError if it has no two tokens, or too many."""
    shown = label_of(text.text.strip())
    if not len(text):
        raise ClockhandsError(
            f"the sentence '{shown}' has no token: give some words",
            f"句子“{shown}”里没有词元：请写一些词",
        )
    part = text[parse_window(window)] if window else text
    if len(part) < 2:
        raise ClockhandsError(
            f"'{shown}' has {counted(len(part), 'token')} to draw, and attention needs two: "
            "give a longer sentence" + (f" or another window than {window}" if window else ""),
            f"“{shown}”里可画的词元只有 {len(part)} 个，注意力至少要两个：请给更长的句子"
            + (f"，或换掉窗口 {window}" if window else ""),
        )
    if len(part) > LONGEST:
        raise ClockhandsError(
            f"'{shown}' has {len(part)} tokens, and a map holds {LONGEST}: draw a window of it, "
            "e.g. --tokens 0:40",
            f"“{shown}”有 {len(part)} 个词元，一张图最多画 {LONGEST} 个：请只画一个窗口，例如 --tokens 0:40",
        )
    return part


def _texts(settings: AttendSettings) -> tuple[list[str], list[Text]]:
    """The texts to train on, cut to their windows of characters."""
    texts = settings.texts or settings.sentences or tuple(passage.text for passage in SAMPLES)
    if settings.chars is not None:
        return [text[parse_window(settings.chars)] for text in texts], []
    notes = [
        Text(
            f"the text has {len(text):,} characters; the first {CHARS:,} are used (--chars asks for others)",
            f"文本有 {len(text):,} 个字符，只用前 {CHARS:,} 个（可用 --chars 另选）",
        )
        for text in texts
        if len(text) > CHARS
    ]
    return [text[:CHARS] for text in texts], notes


def _beginnings(settings: AttendSettings, texts: Sequence[Segmented]) -> tuple[Segmented, ...]:
    window = settings.tokens or f"0:{FIRST}"
    telling = [text for text in texts if len(text[parse_window(window)]) > 1] or texts
    return tuple(drawable(text, window) for text in telling[:DRAWN])


def _require_tokens(texts: Sequence[Segmented]) -> None:
    count = sum(map(len, texts))
    if count < 2:
        raise ClockhandsError(
            f"the text has {counted(count, 'token')} after segmentation, and learning needs at least two: "
            "give a longer text",
            f"分词后只剩 {count} 个词元，至少要两个才能学习：请给更长的文本",
        )


def _cut(text: Segmented, share: float) -> tuple[Segmented, Segmented]:
    """The text before and after the place where the held-out part begins; at least one token comes before."""
    at = max(1, round(len(text) * (1 - share)))
    return text[:at], text[at:]
