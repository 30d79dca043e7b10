"""Sentences of the lesson as HTML, in both languages, with their numbers put in."""

from __future__ import annotations

import re
from html import escape

from clockhands.language import Text
from clockhands.web.lesson.step import Numbers

_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\d)")
_SYMBOL = re.compile(r"(?<![A-Za-z])([A-Za-zωΔ])_([a-zω])(?![A-Za-z])")
_POWER = re.compile(r"\^(−?\d+(?:\.\d+)?|[a-z]|\((?:[^()]|\([^()]*\))+\))")
_TINY = re.compile(r"(\d)e-0?(\d+)")


def inline(sentence: str, numbers: Numbers) -> str:
    """One sentence: ``*stressed*``, ```code```, ``<<live value>>``, ``W_q`` and ``2^n``.

    >>> inline("W_q is *not* {n:.1f}", {"n": -0.5})
    '<i>W<sub>q</sub></i> is <em>not</em> −0.5'
    """
    text = escape(sentence.format(**numbers), quote=False)
    text = _TINY.sub(r"\1 × 10^−\2", text)
    text = _MINUS.sub("−", text)
    text = _SYMBOL.sub(r"<i>\1<sub>\2</sub></i>", text)
    text = _POWER.sub(lambda found: f"<sup>{_bare(found[1])}</sup>", text)
    text = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"&lt;&lt;(\w+)&gt;&gt;", lambda found: _live(found[1], numbers), text)


def _bare(power: str) -> str:
    return power[1:-1] if power.startswith("(") else power


def _live(name: str, numbers: Numbers) -> str:
    """A value that the page's script fills in: by its name, or from a list by the choice made."""
    choices = str(numbers.get(f"{name}s", ""))
    chosen = f' data-list="{escape(choices)}"' if "|" in choices else ""
    return f"<b data-value={name}{chosen}></b>"


def both(text: Text, numbers: Numbers, tag: str = "span") -> str:
    """A sentence in both languages; the style sheet shows the one that the page is in.

    A paragraph ends where the next block begins or ends, as HTML has it: its end needs no tag.

    >>> both(Text("turn", "圈"), {})
    '<span lang=en>turn</span><span lang=zh>圈</span>'
    """
    english, chinese = inline(text.en, numbers), inline(text.zh, numbers)
    end = "" if tag == "p" else f"</{tag}>"
    if english == chinese:
        return english if tag == "span" else f"<{tag}>{english}{end}"
    return f"<{tag} lang=en>{english}{end}<{tag} lang=zh>{chinese}{end}"
