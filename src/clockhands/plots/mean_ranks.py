"""Mean ranks of schemes over tasks and how far apart they must lie (Demšar 2006, JMLR 7, figure 1)."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.picture import Picture
from clockhands.plots.scales import set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, sheet
from clockhands.plots.wording import shortened

TITLE = Text("Mean ranks over the tasks", "各任务的平均名次")
CRITICAL = Text("critical difference", "临界差")

_ROW = 0.3  # inches
_NAMES = 40  # columns of a name


def mean_ranks_picture(
    ranks: Labelled,
    critical: float,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw ``(schemes,)`` on a line from 1, the best; bars join those within ``critical``."""
    values = np.asarray(ranks.values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    joined = alike(values[order], critical)
    top = 0.75 + 0.14 * len(joined)
    body = top + _ROW * len(values) + 0.05
    with sheet(
        lang, title, about=about, says=(says,) if says != NOTHING else (), note=note, body=body
    ) as page:
        names = [shortened(str(one), _NAMES) for one in ranks.axes[0].values]
        room = max(page.width_of(f"{name}  0.00") for name in names) + 0.3
        panel = page.panel(MARGIN + 0.15, 0.1, page.width - 2 * MARGIN - 0.15 - room, body - 0.1, "ranks")
        panel.set_xlim(0.9, len(values) + 0.1)
        panel.set_ylim(body - 0.1, 0)
        for name, spine in panel.spines.items():
            spine.set_visible(name == "top")
        panel.xaxis.tick_top()
        set_ticks(panel, "x", [float(one) for one in range(1, len(values) + 1)])
        width = min(critical, len(values) - 0.8)
        panel.plot([1, 1 + width], [0.28, 0.28], color=ACCENT, linewidth=2)
        span = f"{CRITICAL.said_in(lang)} {critical:.2f}"
        page_over_lines = {"facecolor": style.PAGE, "edgecolor": "none", "pad": 1.5}
        panel.text(
            1 + width + 0.04, 0.28, span, color=ACCENT, va="center", fontsize=style.SMALL_SIZE, zorder=5,
            bbox=page_over_lines,
        )  # fmt: skip
        for index, (first, last) in enumerate(joined):
            ends = float(values[order[first]]) - 0.03, float(values[order[last]]) + 0.03
            panel.plot(ends, [0.52 + 0.14 * index] * 2, color=style.INK, linewidth=4, solid_capstyle="butt")
        for place, scheme in enumerate(order.tolist()):
            colour = style.CATEGORIES[scheme % len(style.CATEGORIES)]
            height = top + _ROW * place
            at, end = float(values[scheme]), len(values) + 0.1
            panel.plot([at, at, end], [0, height, height], color=colour, linewidth=1.2)
            panel.annotate(
                f"{names[scheme]}  {values[scheme]:.2f}", (len(values) + 0.1, height), xytext=(6, 0),
                textcoords="offset points", va="center", color=style.legible(colour), annotation_clip=False,
            )  # fmt: skip
        return page.picture(ranks)


def alike(values: np.ndarray, critical: float) -> list[tuple[int, int]]:
    """First and last of each longest run of ranks in rising order that lie within ``critical``.

    >>> alike(np.array([1.0, 1.5, 3.0, 3.2]), 1.6)
    [(0, 1), (1, 2), (2, 3)]
    """
    found: list[tuple[int, int]] = []
    for first in range(len(values)):
        last = int(np.flatnonzero(values - values[first] < critical)[-1])
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
