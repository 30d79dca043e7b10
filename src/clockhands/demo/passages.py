"""The text of one run: the sample passages, or someone's own, cut into sentences of tokens."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.text import SAMPLES, Segmented, Segmenter, is_chinese, read_text

LONGEST_SENTENCE = 56
"""Tokens of a passage that are drawn and trained on; a longer one is cut, after a full stop if it has one."""
MOST_SENTENCES = 32
MOST_CHARACTERS = 20_000
"""How much of a long text is read: what a page can show, and what can be learned while it is made."""
SHORT = 8
_STOPS = frozenset("。！？.!?")
_EXAMPLE = "史进打郑屠"


@dataclass(frozen=True)
class Passages:
    """sentences  what is drawn and trained on, each of at most ``LONGEST_SENTENCE`` tokens
    short      the keys of a few words, for the smallest examples
    total      tokens in all that was read
    given      True if it is someone's own
    tokenizer  what the tokens are, in words
    """

    sentences: tuple[Segmented, ...]
    short: tuple[str, ...]
    total: int
    given: bool
    tokenizer: Text


def read_passages(
    texts: Sequence[str | os.PathLike[str]] | None = None, sentences: Sequence[str] | None = None
) -> Passages:
    """The text of a run. ``texts`` are files, ``sentences`` texts themselves; the samples if there are none.

    Words where they can be had, else characters. Raises ClockhandsError for a file that can't be read, and
    for a text with fewer than two tokens.
    """
    parts = [*(sentences or ()), *(read_text(path).text for path in texts or ())]
    given = texts is not None or sentences is not None
    if not given:
        parts = [passage.text for passage in SAMPLES]
    segmenter, tokenizer = _segmenter(parts)
    segmented = [segmenter(piece) for piece in _pieces(parts, by_line=bool(texts))]
    cut = [window for sentence in segmented for window in _windows(sentence)]
    kept = tuple(window for window in cut if len(window) > 1)[:MOST_SENTENCES]
    if not kept:
        raise ClockhandsError(
            "the text has no sentence of two or more tokens: order needs at least two words",
            "文本里没有哪一句有两个以上的词元：至少要两个词，才谈得上顺序",
        )
    return Passages(
        sentences=kept,
        short=_short(kept) if given else segmenter(_EXAMPLE).keys,
        total=sum(map(len, cut)),
        given=given,
        tokenizer=tokenizer,
    )


def _segmenter(parts: Sequence[str]) -> tuple[Segmenter, Text]:
    """Words, or characters where Chinese words would need a package that isn't there."""
    if find_spec("jieba") is None and any(map(is_chinese, parts)):
        return Segmenter("chars"), Text("characters", "字")
    return Segmenter("words"), Text("words", "词")


def _pieces(parts: Sequence[str], *, by_line: bool) -> list[str]:
    """The texts up to ``MOST_CHARACTERS``, files line by line."""
    pieces: list[str] = []
    room = MOST_CHARACTERS
    for part in parts:
        for piece in part.splitlines() if by_line else [part]:
            pieces.append(piece[:room])
            room -= len(pieces[-1])
            if room <= 0:
                return pieces
    return pieces


def _windows(sentence: Segmented) -> Iterator[Segmented]:
    """Pieces of at most ``LONGEST_SENTENCE`` tokens, ending with a full stop where that leaves half of it."""
    while len(sentence):
        end = min(len(sentence), LONGEST_SENTENCE)
        if end < len(sentence):
            stops = [i + 1 for i, key in enumerate(sentence.keys[:end]) if key in _STOPS and 2 * i >= end]
            end = stops[-1] if stops else end
        yield sentence[:end]
        sentence = sentence[end:]


def _short(sentences: Sequence[Segmented]) -> tuple[str, ...]:
    """The first few words of a sentence of three or more that isn't the same read backwards."""
    starts = [
        tuple(filter(_is_word, sentence.keys))[:SHORT] or sentence.keys[:SHORT] for sentence in sentences
    ]
    telling = (start for start in starts if len(start) > 2 and start != start[::-1])
    return next(telling, sentences[0].keys[:SHORT])


def _is_word(key: str) -> bool:
    return any(map(str.isalnum, key))
