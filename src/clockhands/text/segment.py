"""A text becomes tokens: words, characters or bytes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Literal, get_args

from clockhands.errors import ClockhandsError, nearest
from clockhands.text.characters import characters, utf8_bytes
from clockhands.text.dictionary import Entry, merged, sample_dictionary
from clockhands.text.graphemes import graphemes
from clockhands.text.jieba_words import JiebaWords
from clockhands.text.labels import label_of
from clockhands.text.tokens import Segmented, Token
from clockhands.text.words import is_han, words

TokenizerName = Literal["words", "chars", "bytes"]
TOKENIZERS: tuple[TokenizerName, ...] = get_args(TokenizerName)

HAN_TO_A_KANA = 20
"""Han characters to each kana from which on a text is Chinese; Japanese of any kind has fewer."""
MIDDLE_DOT = "・"
"""Stands among the katakana of Unicode, and also between the parts of foreign names in Chinese."""


class Segmenter:
    """Cuts texts into tokens. Keep one for many texts: the Chinese dictionary loads in most of a second.

    tokenizer    ``words``: jieba for Chinese, runs of letters for other languages; ``chars``: whole
                 characters; ``bytes``: bytes of UTF-8
    lang         language of the texts, ``zh`` or any other; None: as the text is (``is_chinese``)
    dictionary   words of the user's own for Chinese, beside the names of the Water Margin that are built in
    punctuation  False leaves out tokens that are punctuation only
    tags         also say the part of speech of each word, which only Chinese has here

    Raises ClockhandsError for an unknown tokenizer, or tags that are not to be had; MissingExtra if jieba is
    needed and not installed.

    >>> Segmenter("chars")("水浒").keys
    ('水', '浒')
    """

    def __init__(
        self,
        tokenizer: TokenizerName = "words",
        lang: str | None = None,
        *,
        dictionary: Iterable[Entry] = (),
        punctuation: bool = True,
        tags: bool = False,
    ):
        if tokenizer not in TOKENIZERS:
            hint = nearest(tokenizer, TOKENIZERS)
            raise ClockhandsError(
                f"there is no tokenizer '{tokenizer}': {hint.en}", f"没有分词器“{tokenizer}”：{hint.zh}"
            )
        if tags and tokenizer != "words":
            raise ClockhandsError(
                f"the tokenizer is '{tokenizer}', and parts of speech belong to words: use 'words'",
                f"分词器是“{tokenizer}”，而词性属于词：请用“words”",
            )
        self.tokenizer, self.lang, self.punctuation, self.tags = tokenizer, lang, punctuation, tags
        self.dictionary = tuple(dictionary)
        self._jieba: JiebaWords | None = None

    def __call__(self, text: str) -> Segmented:
        """``text`` with its tokens; there may be none, if it is empty or holds spaces only."""
        chinese = is_chinese(text) if self.lang is None else self.lang.lower().startswith("zh")
        if self.tokenizer == "bytes":
            tokens = utf8_bytes(text)
        elif self.tokenizer == "chars":
            tokens = characters(text, spaces=not chinese)
        elif chinese:
            tokens = _without_broken_characters(self._chinese(text), text)
        else:
            self._refuse_tags(text)
            tokens = words(text)
        if not self.punctuation:
            tokens = [token for token in tokens if not _is_punctuation(text[token.start : token.end])]
        return Segmented(text, tuple(tokens))

    def _chinese(self, text: str) -> list[Token]:
        if self._jieba is None:
            self._jieba = JiebaWords(merged(sample_dictionary(), self.dictionary), tags=self.tags)
        return self._jieba(text)

    def _refuse_tags(self, text: str) -> None:
        if self.tags and text.strip():
            shown = label_of(text.strip())
            raise ClockhandsError(
                f"the text '{shown}' is not Chinese: parts of speech are known for Chinese only "
                "(jieba), so give Chinese text",
                f"文本“{shown}”不是中文：目前只支持中文词性标注（jieba），请给出中文文本",
            )


def segment(
    text: str,
    tokenizer: TokenizerName = "words",
    lang: str | None = None,
    *,
    dictionary: Iterable[Entry] = (),
    punctuation: bool = True,
) -> Segmented:
    """One text cut into tokens; see ``Segmenter`` for the options and errors.

    >>> segment("To be, or not to be").keys
    ('To', 'be', ',', 'or', 'not', 'to', 'be')
    """
    return Segmenter(tokenizer, lang, dictionary=dictionary, punctuation=punctuation)(text)


def tag(text: str, *, dictionary: Iterable[Entry] = ()) -> Segmented:
    """The words of a Chinese text, each with its part of speech in jieba's letters (n, v, nr, ns, ...).

    Raises ClockhandsError for a text in another language.
    """
    return Segmenter("words", dictionary=dictionary, tags=True)(text)


def is_chinese(text: str) -> bool:
    """Whether ``text`` has Han characters, and at most one kana to twenty of them: novels hold stray ones.

    >>> is_chinese("拳打 Zheng Tu"), is_chinese("水滸伝を読む"), is_chinese("Water Margin")
    (True, False, False)
    """
    kana = sum("\u3041" <= character <= "\u30ff" and character != MIDDLE_DOT for character in text)
    if kana:
        return sum(map(is_han, text)) >= HAN_TO_A_KANA * kana
    return any(map(is_han, text))


def _is_punctuation(text: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in text)


def _without_broken_characters(tokens: list[Token], text: str) -> list[Token]:
    """Joins tokens that begin inside a whole character (an emoji with parts, a letter with accents)."""
    starts: set[int] = set()
    position = 0
    for unit in graphemes(text):
        starts.add(position)
        position += len(unit)
    whole: list[Token] = []
    for token in tokens:
        if token.start in starts or not whole:
            whole.append(token)
        else:
            before = whole.pop()
            whole.append(Token(text[before.start : token.end], before.start, token.end, before.tag))
    return whole
