"""Strips of cells, one a layer, a head or a column: as declared, and as read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.check.outputs.stories.story import Story, legend
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.scales import set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet

NONE = Text("nothing", "没有")
_COLOURS = (
    style.CATEGORIES[0], style.CATEGORIES[4], style.CATEGORIES[2], style.CATEGORIES[3], style.CATEGORIES[5],
    "#8c6bb1", "#7a5c2e", style.CATEGORIES[6],
)  # fmt: skip
_ROW = 1.0


def strips(
    says: Text, of: Text, rows: Sequence[tuple[Text, Sequence[Text]]], *, written: bool = False
) -> Story:
    """One strip a row; cells that differ from the first row's are framed.

    of       what a cell is: a layer, a head, a dimension
    rows     name and cells of each; NONE is an empty cell
    written  write the words into the cells too
    """
    kinds = list(dict.fromkeys(cell for _, cells in rows for cell in cells if cell != NONE))
    colours = {kind: _COLOURS[place % len(_COLOURS)] for place, kind in enumerate(kinds)}
    longest = max(len(cells) for _, cells in rows)

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        entries = [] if written else [("■", colours[kind], kind) for kind in kinds]
        if any(NONE in cells for _, cells in rows):
            entries.append(("■", style.NO_DATA, NONE))
        if any(a != b for _, cells in rows for a, b in zip(rows[0][1], cells, strict=False)):
            entries.append(("□", ACCENT, Text("differs from the first strip", "与第一条不同")))
        legend(page, entries)
        for place, (name, cells) in enumerate(rows):
            _strip(page, name, cells, rows[0][1], colours, longest, 0.45 + _ROW * place, written)
        last = 0.45 + _ROW * len(rows)
        page.write(page.width - MARGIN, last, of.said_in(page.lang), va="baseline", ha="right")
        axes = (
            Axis(Text("strip", "条"), np.array([name.en for name, _ in rows])),
            Axis(of, np.arange(longest)),
        )
        values = [
            [*(_place(cell, kinds) for cell in cells), *[-1] * (longest - len(cells))] for _, cells in rows
        ]
        note = Text("; ".join(f"{place} {kind.en}" for place, kind in enumerate(kinds)), "；".join(
            f"{place} {kind.zh}" for place, kind in enumerate(kinds)))  # fmt: skip
        return (Labelled("cells", Text("kind of cell", "单元种类"), np.array(values), axes, note=note),)

    return Story(says, draw, 0.6 + _ROW * len(rows))


def _place(cell: Text, kinds: Sequence[Text]) -> int:
    return -1 if cell == NONE else kinds.index(cell)


def _strip(
    page: Sheet, name: Text, cells: Sequence[Text], first: Sequence[Text], colours: dict[Text, str],
    longest: int, y: float, written: bool,
) -> None:  # fmt: skip
    from matplotlib.patches import Rectangle

    page.write(MARGIN, y + 0.15, name.said_in(page.lang), colour=style.INK, va="baseline")
    step = min(1.4 if written else 0.55, (page.width - 2 * MARGIN) / longest)
    panel = page.panel(MARGIN, y + 0.24, step * len(cells), 0.4, name.en)
    panel.set_xlim(-0.5, len(cells) - 0.5)
    panel.set_ylim(0, 1)
    for spine in panel.spines.values():
        spine.set_visible(False)
    gap = 0.04 if longest <= 40 else 0.0
    for place, cell in enumerate(cells):
        other = place < len(first) and first[place] != cell
        panel.add_patch(Rectangle(
            (place - 0.5 + gap, 0.06), 1 - 2 * gap, 0.88, facecolor=colours.get(cell, style.NO_DATA),
            edgecolor=ACCENT if other else "none", linewidth=2.0 if longest <= 40 else 1.0, clip_on=False,
        ))  # fmt: skip
        if written:
            panel.text(
                place, 0.48, cell.said_in(page.lang), ha="center", va="center", fontsize=style.SMALL_SIZE,
                color=style.INK if cell == NONE else "white",
            )  # fmt: skip
    if not written:
        every = 1 if longest <= 20 else 4 if longest <= 40 else 8
        set_ticks(panel, "x", list(range(0, len(cells), every)))
        panel.tick_params(length=0)
