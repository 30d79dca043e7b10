"""Lines of a file or a command, those that matter marked, with what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.check.outputs.stories.story import RIGHT, WRONG, Story
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.sheet import MARGIN, Sheet

_ROW = 0.4


class Line(NamedTuple):
    """One line as it is written, what is made of it, and whether that is what's wrong."""

    written: str
    read: Text = NOTHING
    wrong: bool = False


def lines(says: Text, drawn: Sequence[Line]) -> Story:
    """Lines from top to bottom, on the right what comes of them."""

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        from matplotlib.patches import Rectangle

        wide = max(page.width_of(line.written) for line in drawn) + 0.5
        panel = page.panel(MARGIN, 0.05, wide, _ROW * len(drawn), "lines")
        panel.set_xlim(0, wide)
        panel.set_ylim(len(drawn), 0)
        panel.axis("off")
        for place, line in enumerate(drawn):
            colour = WRONG if line.wrong else style.PANEL
            panel.add_patch(
                Rectangle((0, place + 0.05), wide, 0.9, facecolor=colour, alpha=0.22 if line.wrong else 1)
            )
            panel.add_patch(
                Rectangle((0, place + 0.05), 0.06, 0.9, facecolor=WRONG if line.wrong else style.RULE)
            )
            panel.text(0.2, place + 0.52, line.written, va="center", color=style.INK)
            if line.read != NOTHING:
                ink = style.legible(WRONG if line.wrong else RIGHT)
                y = 0.05 + _ROW * (place + 0.5)
                page.write(
                    MARGIN + wide + 0.15, y, f"→ {line.read.said_in(page.lang)}", colour=ink, va="center"
                )
        axis = Axis(Text("line", "行"), np.array([line.written for line in drawn]))
        marked = np.array([int(line.wrong) for line in drawn])
        return (Labelled("marked", Text("marked", "标记"), marked, (axis,)),)

    return Story(says, draw, 0.3 + _ROW * len(drawn))
