"""Plain text as Markdown: what would be read as markup is escaped, code stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
_MARKUP = re.compile(r"([\\*_\[\]<>|$~])")


def escaped(text: str) -> str:
    r"""``text`` in one line, safe in a sentence and in the cell of a table.

    >>> escaped("q_m and ``k_n``")
    'q\\_m and ``k_n``'
    """
    pieces = _CODE.split(" ".join(text.split()))
    return "".join(
        piece.replace("|", r"\|") if index % 2 else _MARKUP.sub(r"\\\1", piece)
        for index, piece in enumerate(pieces)
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = (headings, ["---"] * len(headings), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def fenced(code: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{code}\n```"


def link(where: str) -> str:
    """Where a source is, as a link if it is an arXiv number or an address.

    >>> link("arXiv 2104.09864")
    '[arXiv 2104.09864](https://arxiv.org/abs/2104.09864)'
    """
    number = re.fullmatch(r"arXiv (\d{4}\.\d{4,5})", where)
    if number:
        return f"[{where}](https://arxiv.org/abs/{number[1]})"
    if re.match(r"(https?://)?[\w.-]+\.\w+/\S+$", where):
        address = where if "://" in where else f"https://{where}"
        return f"[{escaped(where.removeprefix('https://'))}]({address})"
    return escaped(where)
