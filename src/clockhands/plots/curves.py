"""Loss curves: training and held-out text together, the best held-out step marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.end_names import ROOM, name_ends
from clockhands.plots.given import labelled
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import finite_range, grid, linear
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words, display_width, shortened, with_unit

TITLE = Text("Loss", "损失")

_MOST_ROOM = 3.2
"""Inches that names beside the curves may take from them."""

_DASHES = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))


def curves(
    lines: Sequence[Labelled],
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    measured: Text = NOTHING,
) -> Picture:
    """Draw curves ``(steps,)``, each with its own steps, on one page; the name of each is written at its end.

    measured  what all of them measure: the name of the upright axis; of a single curve its own by default

    ClockhandsError: no curves, one with another number of dimensions, empty, or not numbers.
    """
    if not lines:
        raise ClockhandsError("there is no curve to draw: give at least one", "没有曲线可画：请至少给一条")
    steps = Text("step", "步")
    lines = [
        labelled(line, f"curve{i}", Text(f"curve {i}", f"曲线 {i}"), (steps,)) for i, line in enumerate(lines)
    ]
    notes = Text(
        *(
            ", ".join(dict.fromkeys(filter(None, said)))
            for said in zip(*(line.note for line in lines), strict=True)
        )
    )
    with sheet(lang, title, about=about, says=(says,), note=notes, body=4.6) as page:
        _draw(page, lines, _upright(lines, measured, lang))
        return page.picture(*lines)


def _upright(lines: Sequence[Labelled], measured: Text, lang: Language) -> str:
    """Name of the upright axis, with the unit if all curves have the same."""
    units = {(line.unit.en, line.unit.zh): line.unit for line in lines}
    unit = next(iter(units.values())) if len(units) == 1 else NOTHING
    name = lines[0].name if len(lines) == 1 and measured == NOTHING else measured
    return with_unit(name, unit, lang)


def _draw(page: Sheet, lines: Sequence[Labelled], upright: str) -> None:
    ends = [numeral(float(line.values[-1]), 3) for line in lines]
    most = _MOST_ROOM - ROOM - 0.1
    words = [
        _fitted(page, line.name.said_in(page.lang), f"  {end}", most)
        for line, end in zip(lines, ends, strict=True)
    ]
    room = max(map(page.width_of, words)) + ROOM + 0.1
    panel = page.panel(MARGIN + 0.35, 0.35, page.width - 2 * MARGIN - 0.4 - room, 3.65, "curves")
    places = [np.asarray(line.axes[0].values, dtype=np.float64) for line in lines]
    values = [np.asarray(line.values, dtype=np.float64) for line in lines]
    low, high = finite_range(*values)
    first, last = min(float(p.min()) for p in places), max(float(p.max()) for p in places)
    linear(panel, "x", first, max(last, first + 1), most=8, whole=True)
    linear(panel, "y", low, low + 1.06 * (high - low))
    grid(panel)
    top = low + 1.06 * (high - low)
    colours = [style.CATEGORIES[index % len(style.CATEGORIES)] for index in range(len(lines))]
    names = [line.name.said_in(page.lang) for line in lines]
    for index, (at, each, name, colour) in enumerate(zip(places, values, names, colours, strict=True)):
        dash = _DASHES[index // len(style.CATEGORIES) % len(_DASHES)]
        panel.plot(at, each, color=colour, linestyle=dash, label=name, marker="o" if len(at) == 1 else "")
    lasts = [_last_finite(each, low) for each in values]
    name_ends(page, panel, words, lasts, colours, 0.055 * (top - low), size=style.LABEL_SIZE)
    panel.set_xlabel(axis_words(lines[0].axes[0], page.lang))
    page.write(MARGIN, 0.2, upright, va="baseline")


def _fitted(page: Sheet, name: str, end: str, room: float) -> str:
    """The name with what follows it, the name cut as far as both need to stand within ``room`` inches."""
    most = display_width(name)
    while most > 4 and page.width_of(shortened(name, most) + end) > room:
        most -= 1
    return shortened(name, most) + end


def _last_finite(values: NDArray[np.float64], otherwise: float) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else otherwise
