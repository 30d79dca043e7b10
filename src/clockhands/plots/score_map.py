"""Scores of schemes at lengths, one cell each, with the number in it: grey where there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.picture import Picture
from clockhands.plots.scales import between, colour_bar, frameless, set_ticks
from clockhands.plots.sheet import MARGIN, sheet
from clockhands.plots.wording import axis_words, shortened

TITLE = Text("Scores by length", "各长度的得分")
NO_NUMBER = Text("grey: no number there", "灰色：此处没有数")

_ROW = 0.42  # inches
_NAMES = 28  # columns of a name
_DARK = 0.45
"""Share of the colour map's lightness up to which white letters are read best."""


def score_map(
    scores: Labelled,
    trained: int | None = None,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
    share: bool = True,
) -> Picture:
    """Draw ``(schemes, lengths)``, nan where there is no number.

    trained  lengths past this one are told apart by a line; None: none is
    share    scores lie between 0 and 1, and more is better; else less is, and light is always better
    """
    values = np.asarray(scores.values, dtype=np.float64)
    lacks = bool(np.isnan(values).any())
    height = _ROW * len(values)
    with sheet(
        lang, title, about=about, says=(says,) if says != NOTHING else (), note=note,
        feet=(NO_NUMBER,) if lacks else (), body=height + 0.9,
    ) as page:  # fmt: skip
        names = [shortened(str(one), _NAMES) for one in scores.axes[0].values]
        left = MARGIN + max(page.width_of(name) for name in names) + 0.15
        width = page.width - left - MARGIN - 0.9
        panel = page.panel(left, 0.25, width, height, "scores")
        low, high = (0.0, 1.0) if share else between(values)
        colours = style.SEQUENTIAL if share else f"{style.SEQUENTIAL}_r"
        panel.set_facecolor(style.NO_DATA)
        image = panel.imshow(
            np.ma.masked_invalid(values), aspect="auto", cmap=colours, vmin=low, vmax=high,
            interpolation="nearest",
        )  # fmt: skip
        frameless(panel)
        set_ticks(panel, "y", range(len(names)), names)
        set_ticks(panel, "x", range(values.shape[1]), [f"{one:g}" for one in scores.axes[1].values])
        panel.tick_params(length=0)
        panel.set_xlabel(axis_words(scores.axes[1], lang))
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                light = (value - low) / (high - low) if share else (high - value) / (high - low)
                ink = "white" if light < _DARK else style.INK
                panel.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink,
                           fontsize=style.LABEL_SIZE)  # fmt: skip
        if trained is not None:
            edge = float(np.count_nonzero(_lengths(scores) <= trained)) - 0.5
            panel.axvline(edge, color=style.PAGE, linewidth=3)
        colour_bar(page, image, left + width + 0.2, 0.25, height, "")
        return page.picture(scores)


def _lengths(scores: Labelled) -> NDArray[np.float64]:
    return np.asarray(scores.axes[1].values, dtype=np.float64)
