"""Sentences of the story, with their numbers marked as computed and their tokens kept apart.

``said`` fills a sentence in both languages. Every number put in is marked, so that the page can set it
off as computed in this run, and a test can find any digit that was typed. Every token (a ``str``
put in) is wrapped in Unicode isolates, so that a right-to-left word leaves the sentence around it alone.
``plain`` takes the marks away again, for places that hold no mark-up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real

from clockhands.language import Language, Text
from clockhands.text.labels import label_of

NUMBER_START, NUMBER_END = "\ue000", "\ue001"
TOKEN_START, TOKEN_END = "\u2068", "\u2069"

_PLAIN = 1e-3  # larger numbers need no power of ten
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def said(sentence: Text, /, **values: object) -> Text:
    """The sentence with its ``{name:spec}`` fields filled with numbers, tokens (``str``) and Texts.

    Numbers take ``str.format`` specs, and ``power`` (``4 × 10⁻¹⁴``) besides; without one, integers
    are grouped by thousands and others have three significant digits.

    >>> plain(said(Text("{n} tokens, {x:.2f}", "{n} 个词元，{x:.2f}"), n=1709, x=-0.5).en)
    '1,709 tokens, −0.50'
    """
    return Text(
        sentence.en.format(**{name: _spoken(value, "en") for name, value in values.items()}),
        sentence.zh.format(**{name: _spoken(value, "zh") for name, value in values.items()}),
    )


def plainly(sentence: Text, /, **values: object) -> Text:
    """Like ``said``, without marks: for what is written on a picture."""
    filled = said(sentence, **values)
    return Text(plain(filled.en), plain(filled.zh))


def token(word: str) -> str:
    """One token of someone's text, isolated, cut if it is very long, nothing invisible left in it."""
    return TOKEN_START + label_of(word) + TOKEN_END


def tokens(words: Iterable[str]) -> Text:
    """A run of tokens as one value for ``said``."""
    joined = " ".join(map(token, words))
    return Text(joined, joined)


def quoted(sentence: Text) -> Text:
    """A sentence that was printed elsewhere, kept apart like a token."""
    return Text(TOKEN_START + sentence.en + TOKEN_END, TOKEN_START + sentence.zh + TOKEN_END)


def number(value: float, spec: str = "") -> Text:
    """A number alone, for a table's cell."""
    return said(Text(f"{{x:{spec}}}", f"{{x:{spec}}}"), x=value)


def untrained(seed: int) -> Text:
    """What a picture of random numbers says on its face."""
    return Text(f"untrained, seed {seed}", f"未训练，随机种子 {seed}")


def listed(parts: Iterable[Text]) -> Text:
    """A list in running text: commas in English, 、 in Chinese."""
    parts = list(parts)
    return Text(", ".join(part.en for part in parts), "、".join(part.zh for part in parts))


def plain(sentence: str) -> str:
    """The sentence without number marks, token isolates and ``*emphasis*`` or back-tick signs."""
    for mark in (NUMBER_START, NUMBER_END, TOKEN_START, TOKEN_END, "*", "`"):
        sentence = sentence.replace(mark, "")
    return sentence


class _Number:
    """A number that ``str.format`` writes as the page does: a true minus sign, thousands grouped, marked."""

    def __init__(self, value: Real):
        self.value = value

    def __format__(self, spec: str) -> str:
        if not math.isfinite(self.value):
            written = "–" if math.isnan(self.value) else f"{self.value:+}".replace("inf", "∞").lstrip("+")
        elif spec == "power":
            written = _power(float(self.value))
        else:
            written = format(self.value, spec or ("," if isinstance(self.value, Integral) else ".3g"))
        return NUMBER_START + written.replace("-", "−") + NUMBER_END


def _power(value: float) -> str:
    if value == 0 or abs(value) >= _PLAIN:
        return f"{value:.2g}"
    digit, exponent = f"{value:.0e}".split("e")
    return f"{digit} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def _spoken(value: object, lang: Language) -> object:
    if isinstance(value, Text):
        return value.said_in(lang)
    if isinstance(value, str):
        return token(value)
    if isinstance(value, Real):
        return _Number(value)
    raise TypeError(f"{value!r} is neither a number, a token nor a Text")
