"""Sections as Markdown and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clockhands.experiments.results.section import Section

_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$",
    "<": r"\textless{}", ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip


def as_markdown(parts: Sequence[Section]) -> str:
    """For a document."""
    blocks = []
    for part in parts:
        blocks.append(f"## {part.heading}")
        if part.table:
            head, *body = part.table
            rows = (head, ("---",) * len(head), *body)
            safe = [[_literal(cell).replace("|", "&#124;") for cell in row] for row in rows]
            blocks.append("\n".join(f"| {' | '.join(row)} |" for row in safe))
        blocks.append("\n".join(f"- {_literal(sentence)}" for sentence in part.sentences))
    return "\n\n".join(block for block in blocks if block)


def _literal(text: str) -> str:
    """What Markdown would take for HTML stands as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def as_latex(parts: Sequence[Section]) -> str:
    """For a paper: sections with plain ``tabular``, which need no package (Chinese needs ctex)."""
    blocks = []
    for part in parts:
        blocks.append(f"\\subsection*{{{escaped(part.heading)}}}")
        if part.table:
            head, *body = part.table
            lines = [" & ".join(map(escaped, row)) + r" \\" for row in (head, *body)]
            columns = "l" + "r" * (len(head) - 1)
            blocks.append("\n".join([
                f"\\begin{{tabular}}{{{columns}}}", r"\hline", lines[0], r"\hline", *lines[1:], r"\hline",
                r"\end{tabular}",
            ]))  # fmt: skip
        if part.sentences:
            items = [f"\\item {escaped(sentence)}" for sentence in part.sentences]
            blocks.append("\n".join([r"\begin{itemize}", *items, r"\end{itemize}"]))
    return "\n\n".join(blocks)


def escaped(text: str) -> str:
    r"""As LaTeX sets it.

    >>> escaped("90 % of rope_theta")
    '90 \\% of rope\\_theta'
    """
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda found: _SPECIAL[found[0]], text)
