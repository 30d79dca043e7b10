"""How far each hand goes round: what training showed, and what is new, one panel for each way of turning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.axes import pair_axis
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import round_ticks
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clockhands.analysis.inputs import Floats
    from clockhands.plots.sheet import Sheet

TITLE = Text("How far the hands go round", "指针转到哪里")
HAND, TURNS = (
    Text("hand, fastest first", "指针，最快的在左"),
    Text("part of a turn; the number: hands with angles never seen", "一圈中的部分；数字：有新角度的指针数"),
)
TURN = Text("turn", "圈")
SEEN = Text("seen in training", "训练中见过")
SHOWN, NEW = Text("used", "用到"), Text("never seen", "从未见过")
SEEN_COLOUR, SHOWN_COLOUR, NEW_COLOUR = "#c9d9e6", style.CATEGORIES[0], style.CATEGORIES[1]

_ACROSS = 5
_HEIGHT, _GAP = 1.75, 0.72  # inches of a panel, and below it


def turn_shares(
    seen: ArrayLike,
    shown: ArrayLike,
    names: Sequence[Text],
    *,
    marked: int | None = None,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: tuple[Text, ...] = (),
) -> Picture:
    """A bar for each hand, from 0 to the largest angle between query and key, as a part of a turn.

    seen    ``(pairs,)``, parts of a turn that training showed, 1 for hands that went round
    shown   ``(ways, pairs)``, the same of each way of turning, at the length that is asked for
    names   of the ways
    marked  one of them, framed
    """
    trained = np.asarray(seen, dtype=np.float64)
    now = np.atleast_2d(np.asarray(shown, dtype=np.float64))
    rows = -(-len(names) // _ACROSS)
    with sheet(lang, title, about=about, says=says, body=0.35 + rows * (_HEIGHT + _GAP)) as page:
        width = (page.width - 2 * MARGIN - 0.5) / _ACROSS
        for place, name in enumerate(names):
            row, column = divmod(place, _ACROSS)
            x, y = MARGIN + 0.5 + column * width, 0.6 + row * (_HEIGHT + _GAP)
            panel = page.panel(x, y, width - 0.18, _HEIGHT, f"way{place}")
            _draw(panel, trained, now[place], first=column == 0)
            _head(page, panel, name, trained, now[place], place == marked)
        _legend(page)
        page.write(MARGIN, 0.3, TURNS.said_in(lang), size=style.SMALL_SIZE, va="baseline")
        page.write(
            page.width - MARGIN, 0.35 + rows * (_HEIGHT + _GAP) - 0.05, HAND.said_in(lang),
            size=style.SMALL_SIZE, ha="right", va="baseline",
        )  # fmt: skip
        ways = Axis(Text("way", "方式"), np.array([each.en for each in names]))
        pairs = pair_axis(len(trained))
        return page.picture(
            Labelled("seen", SEEN, trained, (pairs,), TURN),
            Labelled("shown", SHOWN, now, (ways, pairs), TURN),
        )


def _draw(panel: Axes, seen: Floats, now: Floats, *, first: bool) -> None:
    hands = np.arange(len(seen))
    new = np.maximum(now - seen, 0)
    zero = np.zeros(len(seen))
    for low, high, colour in (
        (zero, seen, SEEN_COLOUR), (zero, np.minimum(now, seen), SHOWN_COLOUR), (seen, seen + new, NEW_COLOUR)
    ):  # fmt: skip
        edges = np.arange(len(hands) + 1) - 0.5
        panel.fill_between(
            edges, np.append(low, low[-1]), np.append(high, high[-1]), step="post", color=colour, linewidth=0
        )
    panel.set_xlim(-0.5, len(seen) - 0.5)
    panel.set_ylim(0, 1)
    set_ticks(panel, "y", [0.0, 0.5, 1.0], None if first else ["", "", ""])
    set_ticks(panel, "x", round_ticks(0, max(len(seen) - 1, 1), 4, whole=True))
    grid(panel, "y")


def _head(page: Sheet, panel: Axes, name: Text, seen: Floats, now: Floats, marked: bool) -> None:
    new = np.maximum(now - seen, 0)
    count = int((new > 1e-9).sum())
    colour = NEW_COLOUR if count else style.QUIET
    panel.annotate(
        name.said_in(page.lang) + (" ★" if marked else ""), (0, 1), xycoords="axes fraction", xytext=(0, 5),
        textcoords="offset points", color=ACCENT if marked else style.INK, fontsize=style.LABEL_SIZE,
    )  # fmt: skip
    panel.annotate(
        str(count), (1, 1), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points", ha="right",
        color=style.legible(colour), fontsize=style.SMALL_SIZE,
    )  # fmt: skip


def _legend(page: Sheet) -> None:
    x = page.width - MARGIN
    for colour, name in ((NEW_COLOUR, NEW), (SHOWN_COLOUR, SHOWN), (SEEN_COLOUR, SEEN)):
        words = name.said_in(page.lang)
        page.write(x, 0.1, words, size=style.SMALL_SIZE, ha="right", va="baseline")
        x -= page.width_of(words, style.SMALL_SIZE) + 0.08
        page.write(x, 0.1, "■", size=style.SMALL_SIZE, colour=colour, ha="right", va="baseline")
        x -= page.width_of("■", style.SMALL_SIZE) + 0.22
