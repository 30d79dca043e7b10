"""Scores against length, or losses against steps: each seed a thin line, their median a thick one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.end_names import ROOM, name_ends
from clockhands.plots.given import labelled
from clockhands.plots.picture import Picture
from clockhands.plots.scales import between, grid, linear, set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words, shortened

TITLE = Text("Beyond the training length", "超过训练长度之后")
SHARE = Text("share of items right", "答对题目的比例")
TRAINED = Text("trained up to here", "训练到这里为止")

_GAP = 0.055
_MOST_TICKS = 12


def lengths(
    schemes: Sequence[Labelled],
    trained: int | None = None,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
    measured: Text = SHARE,
    share: bool = True,
) -> Picture:
    """Draw ``(lengths, seeds)`` of each scheme on one page; the name of each is written at its end.

    trained   the longest length trained on, which is marked; None: nothing is
    measured  what stands on the upright axis
    share     it is a share from 0 to 1; else any number
    nan stands for a seed without a number. ClockhandsError: no schemes, or not numbers.
    """
    if not schemes:
        raise ClockhandsError("there is no scheme to draw: give at least one", "没有方案可画：请至少给一种")
    axes = (Text("length", "长度"), Text("seed", "种子"))
    given = [
        labelled(one, f"scheme{i}", Text(f"scheme {i}", f"方案 {i}"), axes) for i, one in enumerate(schemes)
    ]
    with sheet(
        lang, title, about=about, says=(says,) if says != NOTHING else (), note=note, body=4.6
    ) as page:
        _draw(page, given, trained, share, measured)
        return page.picture(*given)


def _draw(page: Sheet, given: Sequence[Labelled], trained: int | None, share: bool, measured: Text) -> None:
    names = [_name(one, page.lang) for one in given]
    room = max(page.width_of(name) for name in names) + ROOM + 0.1
    panel = page.panel(MARGIN + 0.35, 0.35, page.width - 2 * MARGIN - 0.4 - min(room, 3.2), 3.65, "lengths")
    low, high = (0.0, 1.0) if share else between(*(np.asarray(one.values) for one in given))
    margin = 0.04 * (high - low)
    at = np.asarray(given[0].axes[0].values, dtype=np.float64)
    linear(panel, "x", 0.0, float(at.max()))
    if trained is not None and len(at) <= _MOST_TICKS:
        set_ticks(panel, "x", at.tolist())
    linear(panel, "y", low - margin, high + margin)
    grid(panel)
    if trained is not None:
        panel.axvline(trained, color=ACCENT, linewidth=1.2, linestyle=(0, (2, 2)), label="trained")
    ends, colours = [], []
    for index, one in enumerate(given):
        colour = style.CATEGORIES[index % len(style.CATEGORIES)]
        values = np.asarray(one.values, dtype=np.float64)
        for seed in values.T:
            panel.plot(at, seed, color=colour, linewidth=0.8, alpha=0.45)
        middle = np.array(
            [np.median(row[np.isfinite(row)]) if np.isfinite(row).any() else np.nan for row in values]
        )
        panel.plot(at, middle, color=colour, linewidth=2.4, marker="o", markersize=4, label=names[index])
        there = middle[np.isfinite(middle)]
        ends.append(float(there[-1]) if len(there) else low)
        colours.append(colour)
    name_ends(page, panel, names, ends, colours, _GAP * (high - low + 2 * margin), size=style.LABEL_SIZE)
    panel.set_xlabel(axis_words(given[0].axes[0], page.lang))
    page.write(MARGIN, 0.08, measured.said_in(page.lang), va="baseline")
    if trained is None:
        return
    left, across = MARGIN + 0.35, panel.get_position().width * page.width
    x = left + across * trained / float(at.max())
    page.write(x, 0.3, TRAINED.said_in(page.lang), size=style.SMALL_SIZE, colour=ACCENT, va="baseline")


def _name(one: Labelled, lang: Language) -> str:
    """With the length up to which there are numbers, where that is not the last."""
    name, at = shortened(one.name.said_in(lang), 28), np.asarray(one.axes[0].values)
    there = np.flatnonzero(np.isfinite(np.asarray(one.values, dtype=np.float64)).any(axis=1))
    if not len(there) or there[-1] == len(at) - 1:
        return name
    last = f"{at[there[-1]]:g}"
    return Text(f"{name} (to {last})", f"{name}（到 {last}）").said_in(lang)
