"""Heat map of a table: one column per position, one row per dimension, colours symmetric around zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text, counted
from clockhands.plots import style
from clockhands.plots.decimate import block_means
from clockhands.plots.given import DIMENSION, POSITION, labelled
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, index_ticks, symmetric_limit
from clockhands.plots.sheet import MARGIN, sheet
from clockhands.plots.wording import axis_words

TITLE = Text("Heat map", "热力图")

MOST_CELLS = (512, 2048)
"""Rows and columns of colour that are drawn at most; larger tables are averaged over blocks."""
_HALF_A_PERIOD = 2 / np.pi
"""What is left of a wave's strength when every cell is the mean of half a period."""


def heatmap(
    table: Labelled | ArrayLike,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
) -> Picture:
    """Draw a signed table ``(positions, dimensions)``: position to the right, dimension downwards.

    Zero is white and the limits are symmetric, so a colour's strength is a number's size. A table larger
    than ``MOST_CELLS`` is drawn as means over blocks, which the picture says; its data stay whole. Where
    means would wash most dimensions out, positions at equal steps are drawn instead, which it says too.
    ClockhandsError: not two dimensions, empty, or not numbers.
    """
    table = labelled(table, "table", Text("value", "数值"), (POSITION, DIMENSION))
    upright = np.asarray(table.values, dtype=np.float64).T
    cells, (rows, columns) = block_means(upright, MOST_CELLS)
    sampled = columns > 1 and _washed_out(upright, block_means(upright, (len(upright), MOST_CELLS[1]))[0])
    if sampled:
        cells, _ = block_means(upright[:, ::columns], MOST_CELLS)
    limit = symmetric_limit(upright)
    averaged = Text(
        f"Each cell is the mean of {counted(columns, 'position')} × {counted(rows, 'dimension')}.",
        f"每一格是 {columns:,} 个位置 × {rows:,} 个维度的平均值。",
    )
    picked = Text(
        f"One position in {columns:,} is drawn: waves shorter than {2 * columns:,} tokens look like others.",
        f"每 {columns:,} 个位置只画一个：波长不到 {2 * columns:,} 个词元的波在这里会显得像别的波。",
    )
    feet = (averaged,) if max(rows, columns) > 1 and not sampled else ()
    said = (says, picked) if sampled else (says,)
    with sheet(lang, title, about=about, says=said, note=table.note, feet=feet, body=5.0) as page:
        width, height = page.width - 2 * MARGIN - 1.45, 4.15
        panel = page.panel(MARGIN + 0.5, 0.3, width, height, "map")
        image = panel.imshow(
            np.ma.masked_invalid(cells), aspect="auto", cmap=style.DIVERGING, vmin=-limit, vmax=limit,
            interpolation="auto", interpolation_stage="data",
            extent=(-0.5, upright.shape[1] - 0.5, upright.shape[0] - 0.5, -0.5),
        )  # fmt: skip
        frameless(panel)
        index_ticks(panel, "x", table.axes[0], 11, lang)
        index_ticks(panel, "y", table.axes[1], 9, lang)
        panel.set_xlabel(axis_words(table.axes[0], lang))
        page.write(MARGIN, 0.2, axis_words(table.axes[1], lang), va="baseline")
        colour_bar(page, image, MARGIN + 0.5 + width + 0.3, 0.3, height, axis_words(table, lang))
        return page.picture(table)


def _washed_out(values: NDArray[np.float64], means: NDArray[np.float64]) -> bool:
    """Whether most rows would lose more strength to the means than waves do over half a period."""
    strength = np.sqrt(np.einsum("ij,ij->i", values, values) / values.shape[1])
    left = np.sqrt(np.einsum("ij,ij->i", means, means) / means.shape[1])
    return bool(2 * np.count_nonzero(left < _HALF_A_PERIOD * strength) > len(values))
