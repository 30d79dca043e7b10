"""How far each position is from the next: a flat line for hands, a ragged one for a learned table."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.analysis.neighbours import Neighbours
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.decimate import envelope
from clockhands.plots.given import POSITION, labelled
from clockhands.plots.numerals import numeral, scientific
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, linear
from clockhands.plots.sheet import MARGIN, sheet
from clockhands.plots.wording import axis_words

TITLE = Text("Distance between neighbours", "相邻位置距离")

_MOST_POINTS = 1500


def distance(
    distances: Labelled | ArrayLike,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw ``(positions,)``, the Euclidean distance from each position to the next.

    The axis starts at zero, so that rounding noise can't fill the picture; a constant is said in words.
    ClockhandsError: not one dimension, empty, or not numbers.
    """
    distances = labelled(
        distances,
        "neighbour_distance",
        Text("distance to the next position", "到下一位置的距离"),
        (POSITION,),
    )
    values, near = np.asarray(distances.values, dtype=np.float64), Neighbours(distances)
    with sheet(lang, title, about=about, says=(_in_words(near),), note=distances.note, body=4.4) as page:
        panel = page.panel(MARGIN + 0.35, 0.35, page.width - 2 * MARGIN - 0.5, 3.45, "distance")
        places = np.asarray(distances.axes[0].values, dtype=np.float64)
        linear(
            panel, "x", float(places[0]), max(float(places[-1]), float(places[0]) + 1), most=10, whole=True
        )
        linear(panel, "y", *near.drawing_range)
        grid(panel)
        if len(values) > _MOST_POINTS:
            starts, lowest, highest = envelope(values, _MOST_POINTS)
            panel.fill_between(places[starts], lowest, highest, color=style.CATEGORIES[0], linewidth=1.6)
        else:
            panel.plot(places, values, color=style.CATEGORIES[0], marker="o" if len(values) == 1 else "")
        panel.set_xlabel(axis_words(distances.axes[0], lang))
        page.write(MARGIN, 0.2, axis_words(distances, lang), va="baseline")
        return page.picture(distances)


def _in_words(near: Neighbours) -> Text:
    if not near.finite.size:
        return Text("No distance is a finite number.", "没有一个距离是有限的数。")
    mean = near.mean
    if near.constant:
        noise = scientific(near.spread) if near.spread else "0"
        return Text(
            f"The same everywhere: {mean:.5f}. Largest and smallest differ by {noise}, which is rounding.",
            f"处处相同：{mean:.5f}。最大值与最小值只差 {noise}，那是舍入误差。",
        )
    low, high = numeral(float(near.finite.min())), numeral(float(near.finite.max()))
    return Text(
        f"Not the same everywhere: from {low} to {high}, {numeral(mean)} on average.",
        f"并不处处相同：最小 {low}，最大 {high}，平均 {numeral(mean)}。",
    )
