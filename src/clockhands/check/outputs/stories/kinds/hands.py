"""Hands as they are meant, and as they come out: a ring and a dot a hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.axes import RADIANS_PER_TOKEN, TOKENS, pair_axis
from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.labelled import Labelled
from clockhands.check.outputs.stories.story import MEANT, RIGHT, USED, WRONG, Story, legend
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, round_ticks
from clockhands.plots.scales import grid, logarithmic, set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet
from clockhands.plots.wording import with_unit

WAVELENGTH = Text("wavelength", "波长")
SLOWER, FASTER, SAME = Text("slower", "变慢"), Text("faster", "变快"), Text("the same", "相同")
_SAME = 1e-6  # relative difference of speeds below which a hand is the same
_ROOM = 1.8


def hands(
    says: Text,
    meant: ArrayLike,
    used: ArrayLike,
    *,
    names: tuple[Text, Text] = (MEANT, USED),
    lengths: Mapping[Text, int] | None = None,
) -> Story:
    """One row a hand: a ring where its wavelength should be, a dot where it is, a line between.

    meant, used  ``(pairs,)`` rad / token, above 0
    names        what ring and dot are
    lengths      tokens, by what they are: each an upright line
    """
    right, wrong = np.asarray(meant, np.float64), np.asarray(used, np.float64)
    marks = dict(lengths or {})

    def draw(page: Sheet) -> tuple[Labelled, ...]:
        colours = _draw(page, TURN / right, TURN / wrong, marks)
        entries = [("○", style.QUIET, names[0]), ("●", style.INK, names[1])]
        for colour, name in ((WRONG, SLOWER), (style.CATEGORIES[3], FASTER), (RIGHT, SAME)):
            count = colours.count(colour)
            if count:
                entries.append(("●", colour, Text(f"{name.en}: {count}", f"{name.zh}：{count}")))
        legend(page, entries)
        axes = (pair_axis(len(right)),)
        return (
            Labelled("meant", names[0], right, axes, RADIANS_PER_TOKEN),
            Labelled("used", names[1], wrong, axes, RADIANS_PER_TOKEN),
        )

    return Story(says, draw, 5.0)


def _draw(
    page: Sheet, meant: NDArray[np.float64], used: NDArray[np.float64], marks: dict[Text, int]
) -> list[str]:
    top = 0.4 + (0.24 + 0.18 * (len(marks) - 1) if marks else 0.0)
    panel = page.panel(MARGIN + 0.65, top, page.width - 2 * MARGIN - 0.8, 4.4 - top, "hands")
    rows = np.arange(len(meant))
    known = [*meant.tolist(), *used.tolist(), *map(float, marks.values())]
    logarithmic(panel, "x", min(known) / _ROOM, max(known) * _ROOM)
    panel.set_ylim(len(meant) - 0.4, -0.9)
    set_ticks(panel, "y", round_ticks(0, max(len(meant) - 1, 1), 8, whole=True))
    grid(panel, "x")
    panel.set_xlabel(with_unit(WAVELENGTH, TOKENS, page.lang))
    panel.set_ylabel(Text("hand", "指针").said_in(page.lang))
    colours = [
        RIGHT if abs(ratio - 1) < _SAME else WRONG if ratio > 1 else style.CATEGORIES[3]
        for ratio in (used / meant).tolist()
    ]
    size = 30 if len(meant) <= 32 else 12
    panel.hlines(rows, meant, used, color=colours, linewidth=1.0, alpha=0.5)
    panel.scatter(meant, rows, s=size, facecolor=style.PAGE, edgecolor=style.QUIET, linewidth=0.8, zorder=3)
    panel.scatter(used, rows, s=size * 0.6, color=colours, zorder=4)
    for line, (name, length) in enumerate(marks.items()):
        panel.axvline(length, color=ACCENT, linewidth=1.2)
        words = f"{name.said_in(page.lang)} {numeral(length)}"
        panel.annotate(
            words, (length, 1), xycoords=("data", "axes fraction"), xytext=(0, 4 + 12 * line), ha="center",
            textcoords="offset points", color=ACCENT, fontsize=style.SMALL_SIZE, annotation_clip=False,
        )  # fmt: skip
    return colours
