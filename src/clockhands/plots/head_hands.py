"""Which hands each head really uses: the share of its scores that every pair of dimensions brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, thinned
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, set_ticks, symmetric_limit
from clockhands.plots.sheet import MARGIN, sheet

TITLE = Text("Which hands the heads use", "各个头用哪些指针")
SHARE = Text("share of the score's variance", "占得分方差的份额")
WAVELENGTH = Text("wavelength of the hand, tokens (fast on the left)", "指针的波长，词元（快的在左）")
_MOST_LINES = 40


def head_hands(
    shares: NDArray[Any],
    inv_freq: NDArray[Any],
    names: Sequence[str],
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw ``(heads, pairs + 1)`` shares, heads from top to bottom, hands from left to right, fastest first.

    shares    as ``pair_shares`` gives them: the last column is what doesn't turn, drawn where a head has such
    inv_freq  ``(pairs,)`` rad / token
    names     one a head
    """
    still = bool(np.abs(shares[:, -1]).max() > 1e-6)
    cells = shares if still else shares[:, :-1]
    height = float(np.clip(0.035 * len(cells), 2.4, 9.0))
    explained = Text(
        "Red: the hand decides where the head looks. Blue: it works against the others. A row sums to 1.",
        "红色：由这根指针决定看哪里。蓝色：它与其他指针相抵。每行之和为 1。",
    )
    with sheet(lang, title, about=about, says=(says, explained), note=note, body=height + 0.95) as page:
        panel = page.panel(MARGIN + 0.55, 0.3, page.width - 2 * MARGIN - 1.6, height, "shares")
        frameless(panel)
        limit = min(symmetric_limit(cells), max(0.05, float(np.quantile(np.abs(cells), 0.995))))
        image = panel.imshow(
            cells, cmap=style.DIVERGING, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest"
        )
        lines = thinned(len(names), _MOST_LINES)
        set_ticks(panel, "y", lines, [names[n] for n in lines])
        panel.tick_params(labelsize=7.0, length=0)
        places = thinned(len(inv_freq), 12)
        words = [_wavelength(float(inv_freq[n])) for n in places]
        if still:
            places, words = [*places, len(inv_freq)], [*words, Text("none", "不转").said_in(lang)]
        set_ticks(panel, "x", places, words)
        panel.set_xlabel(WAVELENGTH.said_in(lang))
        page.write(
            MARGIN, 0.2, Text("layer·head", "层·头").said_in(lang), size=style.SMALL_SIZE, va="baseline"
        )
        colour_bar(page, image, page.width - MARGIN - 0.75, 0.45, min(2.4, height - 0.2), "")
        page.write(
            page.width - MARGIN - 1.0,
            0.2,
            Text("share", "份额").said_in(lang),
            size=style.SMALL_SIZE,
            va="baseline",
        )
        rows = np.empty(len(names), dtype=object)
        rows[:] = list(names)
        hands = Axis(Text("pair", "维度对"), np.arange(cells.shape[1]))
        return page.picture(Labelled("pair_shares", SHARE, cells, (Axis(Text("head", "头"), rows), hands)))


def _wavelength(speed: float) -> str:
    return "∞" if speed == 0 else numeral(2 * np.pi / speed, 3)
