"""Two rulers with the same words: where one way of counting puts each, and where another does."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, round_ticks
from clockhands.plots.picture import Picture
from clockhands.plots.scales import frameless
from clockhands.plots.sheet import ACCENT, MARGIN, sheet
from clockhands.plots.token_labels import above, put_above

_UPPER, _LOWER = 1.0, 0.0


def rulers(positions: Labelled, names: tuple[Text, Text], *, lang: Language, title: Text) -> Picture:
    """Draw ``(2, words)``: words over the first ruler, lines to where they are on the second."""
    first, second = np.asarray(positions.values)
    words = [str(word) for word in positions.axes[1].values]
    end = max(float(first[-1]), float(second[-1]), 1.0)
    with sheet(lang, title, body=1.0) as page:
        width = page.width - 2 * MARGIN - 0.3
        labels = above(page, words, width * len(words) / (end + 1))
    with sheet(lang, title, body=labels.longest + 2.75) as page:
        panel = page.panel(MARGIN + 0.15, labels.longest + 0.5, width, 2.0, "rulers")
        panel.set_xlim(-0.5, end + 0.5)
        panel.set_ylim(_LOWER - 0.35, _UPPER)
        for height in (_UPPER, _LOWER):
            panel.axhline(height, color=style.QUIET, linewidth=1.2, clip_on=False)
        for upper, lower in zip(first, second, strict=True):
            panel.plot([upper, lower], [_UPPER, _LOWER], color=style.CATEGORIES[0], linewidth=0.9, alpha=0.7)
        panel.scatter(second, np.full(len(second), _LOWER), s=16, color=ACCENT, zorder=3)
        for tick in round_ticks(0, float(second[-1]), 10, whole=True):
            panel.annotate(
                numeral(tick), (tick, _LOWER), xytext=(0, -8), textcoords="offset points", ha="center",
                va="top", color=style.QUIET, fontsize=style.SMALL_SIZE,
            )  # fmt: skip
        put_above(panel, labels)
        frameless(panel)
        page.write(MARGIN, 0.15, names[0].said_in(lang), colour=style.INK, va="baseline")
        page.write(MARGIN, labels.longest + 2.65, names[1].said_in(lang), colour=style.INK, va="baseline")
        return page.picture(positions)
