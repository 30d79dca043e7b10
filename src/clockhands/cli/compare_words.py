"""Sections of a report as a terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clockhands.cli.wrapping import columns, padded, wrap

if TYPE_CHECKING:
    from clockhands.experiments.results import Section


def as_text(parts: Sequence[Section], width: int) -> str:
    """For a terminal."""
    blocks = []
    for part in parts:
        lines = [*wrap(part.heading, width)]
        if part.table:
            widths = [max(columns(row[i]) for row in part.table) for i in range(len(part.table[0]))]
            lines += [
                ("  " + "  ".join(padded(cell, w) for cell, w in zip(row, widths, strict=True))).rstrip()
                for row in part.table
            ]
        for sentence in part.sentences:
            first, *others = wrap(sentence, width - 4)
            lines += [f"  {first}", *(f"    {other}" for other in others)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
