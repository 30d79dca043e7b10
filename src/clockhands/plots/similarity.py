"""The similarity of every two positions as a map, and beside it what it says of each distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.diagonals import Diagonals, diagonals
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.decimate import block_means
from clockhands.plots.given import POSITION, labelled
from clockhands.plots.kernel import draw_kernel, mark_first_rise, rises
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, finite_range, frameless, index_ticks, linear, symmetric_limit
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

TITLE = Text("Similarity of positions", "位置之间的相似度")

MOST_CELLS = 1024
"""Rows and columns that are drawn at most; larger matrices are averaged over blocks."""


def similarity(
    matrix: Labelled | ArrayLike,
    kernel: Labelled | None = None,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw a square matrix ``(n, n)``, colours symmetric around zero, and a curve over distance beside it.

    kernel  ``(distances,)``; where it is left out the curve is the mean along each diagonal, in a band
            from the smallest to the largest entry: a band without width says that only distance counts

    ClockhandsError: not square, empty, or not numbers.
    """
    matrix = labelled(matrix, "similarity", Text("similarity", "相似度"), (POSITION, POSITION))
    if matrix.values.shape[0] != matrix.values.shape[1]:
        raise ClockhandsError(
            f"the matrix has shape {matrix.values.shape}: give one row and one column for each position",
            f"矩阵的形状是 {matrix.values.shape}：请给方阵，每个位置一行一列",
        )
    along = None if kernel is not None else diagonals(matrix)
    data = similarity_data(matrix, kernel)
    curve = data[1]
    says = (_of_distance(along), rises(curve)) if along is None or along.constant else (_of_distance(along),)
    with sheet(
        lang, title, about=about, says=says, note=matrix.note, feet=_averaged(matrix), body=4.95
    ) as page:
        _draw_map(page, matrix)
        _draw_curve(page, curve, along)
        return page.picture(*data)


def similarity_data(matrix: Labelled, kernel: Labelled | None) -> tuple[Labelled, ...]:
    """The numbers that ``similarity`` draws: the matrix, then its curve, or mean, smallest and largest."""
    if kernel is not None:
        return (matrix, kernel)
    along = diagonals(matrix)
    return (matrix, along.mean, along.lowest, along.highest)


def _of_distance(along: Diagonals | None) -> Text:
    if along is None:
        return Text(
            "Only the distance counts: the map is this one curve.", "只看距离：整张图就是右边这一条曲线。"
        )
    if along.constant:
        return Text(
            "Along each diagonal all entries agree, so the map is one curve.",
            "每条对角线上的值都一样，所以整张图就是右边这一条曲线。",
        )
    spread = numeral(along.spread, 3)
    return Text(
        f"Entries at one distance differ by up to {spread}: no curve over distance describes this map.",
        f"同一距离上的值最多相差 {spread}：任何一条随距离变化的曲线都概括不了这张图。",
    )


def _averaged(matrix: Labelled) -> tuple[Text, ...]:
    """Where a cell stands for more than one position, the picture says so."""
    positions = np.asarray(matrix.axes[0].values)
    count = len(positions)
    apart = (
        float(positions[-1] - positions[0]) / (count - 1)
        if count > 1 and positions.dtype.kind in "iuf"
        else 1.0
    )
    step = apart * -(-count // MOST_CELLS)
    if step <= 1:
        return ()
    many = numeral(step, 3)
    return (
        Text(
            f"Each cell is the mean over {many} × {many} positions.",
            f"每一格是 {many} × {many} 个位置的平均值。",
        ),
    )


def _draw_map(page: Sheet, matrix: Labelled) -> None:
    side = 4.1
    cells, _ = block_means(matrix.values, (MOST_CELLS, MOST_CELLS))
    limit = symmetric_limit(np.asarray(matrix.values))
    count = len(matrix.values)
    panel = page.panel(MARGIN + 0.55, 0.3, side, side, "map")
    image = panel.imshow(
        np.ma.masked_invalid(cells), cmap=style.DIVERGING, vmin=-limit, vmax=limit, aspect="auto",
        interpolation="auto", interpolation_stage="data", extent=(-0.5, count - 0.5, count - 0.5, -0.5),
    )  # fmt: skip
    frameless(panel)
    index_ticks(panel, "x", matrix.axes[1], 6, page.lang)
    index_ticks(panel, "y", matrix.axes[0], 6, page.lang)
    panel.set_xlabel(axis_words(matrix.axes[1], page.lang))
    page.write(MARGIN, 0.2, axis_words(matrix.axes[0], page.lang), va="baseline")
    measured = (matrix.name if matrix.unit == NOTHING else matrix.unit).said_in(page.lang)
    colour_bar(page, image, MARGIN + 0.55 + side + 0.22, 0.3, side, measured)


def _draw_curve(page: Sheet, curve: Labelled, along: Diagonals | None) -> None:
    left = MARGIN + 6.0
    panel = page.panel(left + 0.25, 0.3, page.width - MARGIN - left - 0.35, 4.1, "kernel")
    distances = np.asarray(curve.axes[0].values, dtype=np.float64)
    if along is not None and not along.constant:
        panel.fill_between(
            distances,
            along.lowest.values,
            along.highest.values,
            color=style.CATEGORIES[5],
            alpha=0.25,
            linewidth=0,
        )
        draw_kernel(panel, distances, curve.values)
        low, high = finite_range(along.lowest.values, along.highest.values)
        linear(panel, "y", 1.05 * low, 1.05 * high)
    else:
        draw_kernel(panel, distances, curve.values)
        mark_first_rise(panel, distances, curve.values, page.lang)
    panel.set_xlabel(axis_words(curve.axes[0], page.lang))
    page.write(left, 0.2, axis_words(curve, page.lang), va="baseline")
