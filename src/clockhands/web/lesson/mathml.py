"""Formulas as MathML, which browsers draw by themselves, from a line that a person can read.

>>> formula("k = 2")
'<math display=block><mi>k</mi><mo>=</mo><mn>2</mn></math>'
"""

from __future__ import annotations

import re
from html import escape

_PIECE = re.compile(r"\\[a-z]+|[A-Za-z]+|\d+(?:,\d{3})*(?:\.\d+)?|\s+|.", re.DOTALL)
_APPLIED = ("sin", "cos", "exp")
"""Functions that stand before their argument without brackets."""
_FENCES = "()|⟨⟩[]"


def formula(line: str, display: str = "block") -> str:
    r"""One formula. Letters side by side are one name; ``^`` and ``_`` take one piece or ``{…}``;
    ``\frac{a}{b}``, ``\sqrt{a}``, ``\rows{a & b ; c & d}`` (the style sheet draws the brackets),
    ``\live{name}`` (a value that the picture has now) and the names ``\sum``, ``\cdot`` and ``\top``.

    >>> formula(r"\sqrt{d}", "inline")
    '<math><msqrt><mi>d</mi></msqrt></math>'
    """
    kind = " display=block" if display == "block" else ""
    return f"<math{kind}>{_Reader(line).all()}</math>"


class _Reader:
    def __init__(self, line: str):
        self.pieces = [piece for piece in _PIECE.findall(line) if not piece.isspace()]
        self.at = 0

    def all(self, end: str = "") -> str:
        found = []
        while self.at < len(self.pieces) and self.pieces[self.at] != end:
            found.append(self.term())
        if end:
            self.at += 1  # the closing brace itself
        return "".join(found)

    def term(self) -> str:
        base = self.piece()
        raised = {"^": "", "_": ""}
        while self.at < len(self.pieces) and self.pieces[self.at] in raised:
            sign = self.pieces[self.at]
            self.at += 1
            raised[sign] = self.piece()
        above, below = raised["^"], raised["_"]
        if above and below:
            return f"<msubsup>{base}{below}{above}</msubsup>"
        if above:
            return f"<msup>{base}{above}</msup>"
        return f"<msub>{base}{below}</msub>" if below else base

    def piece(self) -> str:
        piece = self.pieces[self.at]
        self.at += 1
        if piece == "{":
            return f"<mrow>{self.all('}')}</mrow>"
        if piece.startswith("\\") and len(piece) > 1:
            return self.named(piece[1:])
        if piece[0].isdigit():
            return f"<mn>{piece}</mn>"
        if piece.isalpha():
            return f"<mi>{piece}</mi>" + ("<mspace width=.17em />" if piece in _APPLIED else "")
        stretchy = " stretchy=false" if piece in _FENCES else ""
        return f"<mo{stretchy}>{escape(piece.replace('-', '−'))}</mo>"

    def named(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self.piece()}{self.piece()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.unwrapped(self.piece())}</msqrt>"
        if name == "live":
            return f"<mn data-value={''.join(self.raw())}></mn>"
        if name == "rows":
            return self.rows()
        return {"sum": "<mo>∑</mo>", "cdot": "<mo>·</mo>", "top": "<mo>⊤</mo>"}[name]

    def rows(self) -> str:
        lines, here = [], self.raw()
        for row in _split(here, ";"):
            cells = "".join(f"<mtd>{_Reader(' '.join(cell)).all()}</mtd>" for cell in _split(row, "&"))
            lines.append(f"<mtr>{cells}</mtr>")
        return f"<mtable>{''.join(lines)}</mtable>"

    def raw(self) -> list[str]:
        """The pieces between braces, as they are."""
        depth, found = 0, []
        while True:
            piece = self.pieces[self.at]
            self.at += 1
            depth += (piece == "{") - (piece == "}")
            if depth == 0:
                return found[1:]
            found.append(piece)

    @staticmethod
    def unwrapped(row: str) -> str:
        return row.removeprefix("<mrow>").removesuffix("</mrow>")


def _split(pieces: list[str], sign: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for piece in pieces:
        if piece == sign:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts
