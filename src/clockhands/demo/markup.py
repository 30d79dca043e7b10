"""From sentences to HTML: everything is escaped, then the marks of ``speech`` become elements."""

from __future__ import annotations

import re
from html import escape

from clockhands.demo.speech import NUMBER_END, NUMBER_START, TOKEN_END, TOKEN_START, plain

_TOKEN = re.compile(f"({TOKEN_START}[^{TOKEN_END}]*{TOKEN_END})")
_EMPHASIS = re.compile(r"\*([^*]+)\*")
_CODE = re.compile(r"`([^`]+)`")


def html(sentence: str) -> str:
    """One sentence as HTML: numbers and tokens in elements of their own, ``*emphasis*``, back-ticked code.

    Signs inside a token stay what they are.
    """
    return "".join(map(_piece, _TOKEN.split(sentence)))


def attribute(sentence: str) -> str:
    """One sentence as the value of a quoted attribute."""
    return escape(plain(sentence), quote=True)


def _piece(text: str) -> str:
    escaped = escape(text, quote=True)
    if text.startswith(TOKEN_START):
        escaped = f"<bdi>{escaped[1:-1]}</bdi>"
    else:
        escaped = _EMPHASIS.sub(r"<em>\1</em>", _CODE.sub(r"<code>\1</code>", escaped))
    return escaped.replace(NUMBER_START, '<span class="n">').replace(NUMBER_END, "</span>")
