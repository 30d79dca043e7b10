"""Chinese words and their parts of speech, by jieba.

jieba is used through instances of our own, so nothing that a program does with jieba changes what we get,
or the other way round. It would keep a cache in the shared temporary folder, which anyone may write to;
reading its dictionary directly is as fast and leaves no file.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from clockhands.errors import MissingExtra
from clockhands.language import Text
from clockhands.text.dictionary import Entry
from clockhands.text.tokens import Token

_IMPORTING = threading.Lock()


class JiebaWords:
    """A loaded dictionary. Loading takes most of a second, so keep it for many texts.

    dictionary  words of the user's own, which stay whole
    tags        also say the part of speech of each word

    Raises MissingExtra where jieba is not installed.
    """

    def __init__(self, dictionary: Iterable[Entry] = (), *, tags: bool = False):
        jieba, posseg = _jieba(tags)
        self._tokenizer = jieba.Tokenizer()
        self._tokenizer.FREQ, self._tokenizer.total = jieba.Tokenizer.gen_pfdict(
            self._tokenizer.get_dict_file()
        )
        self._tokenizer.initialized = True
        for word, count, tag in dictionary:
            self._tokenizer.add_word(word, count or None, tag or None)
        self._tagger = posseg.POSTokenizer(self._tokenizer) if posseg else None

    def __call__(self, text: str) -> list[Token]:
        """Every word of ``text`` but spaces, with its part of speech if asked for."""
        if self._tagger is None:
            pieces: Iterable[tuple[str, str]] = ((word, "") for word in self._tokenizer.cut(text))
        else:
            pieces = ((pair.word, pair.flag) for pair in self._tagger.cut(text))
        tokens: list[Token] = []
        start = 0
        for word, tag in pieces:
            if not word.isspace():
                tokens.append(Token(word, start, start + len(word), tag))
            start += len(word)
        return tokens


def _jieba(tags: bool) -> tuple[ModuleType, Any]:
    """jieba, and its part-of-speech module if wanted, imported without their warnings and log lines."""
    if find_spec("jieba") is None:
        raise MissingExtra(Text("segmenting Chinese into words", "中文分词"), "text")
    with _IMPORTING, warnings.catch_warnings():
        # Old string escapes and pkg_resources warn at import, once: neither is the reader's business.
        warnings.simplefilter("ignore")
        import jieba

        posseg = None
        if tags:
            from jieba import posseg
    return jieba, posseg
