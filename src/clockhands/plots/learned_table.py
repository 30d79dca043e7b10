"""A learned table of positions beside sinusoids of the same size: the table, its similarity, its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.analysis.neighbours import table_neighbours
from clockhands.analysis.similarity import table_similarity
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.formulas.sinusoid import sinusoid
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.decimate import block_means
from clockhands.plots.given import DIMENSION, POSITION, labelled
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, grid, linear, set_ticks, symmetric_limit
from clockhands.plots.sheet import MARGIN, Sheet, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("A learned table of positions", "可学习的位置表")
LEARNED, SINUSOIDS = Text("learned", "可学习"), Text("sinusoids of the same size", "同样大小的正弦编码")
SIMILARITY = Text("similarity (cosine)", "相似度（余弦）")
STEPS = Text("distance to the next position", "到下一个位置的距离")
TABLE = Text("the table", "位置表")
_SIDE, _GAP, _HIGH = 2.9, 0.95, 2.6
_MOST = 512


def learned_table(
    table: Labelled | ArrayLike,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw a table ``(positions, width)`` and sinusoids of its size, with similarity and neighbour distance.

    The sinusoids are those of Vaswani et al. (2017), base 10000.

    ClockhandsError: fewer than two positions, a width that is odd, or not numbers.
    """
    given = labelled(table, "learned", LEARNED, (POSITION, DIMENSION))
    values = np.asarray(given.values, dtype=np.float64)
    if len(values) < 2 or values.shape[1] % 2:
        raise ClockhandsError(
            f"the table has shape {values.shape}: give at least two positions and an even width",
            f"位置表的形状是 {values.shape}：至少要有两个位置，宽度要是偶数",
        )
    waves = np.asarray(sinusoid(np.arange(len(values)), default_inv_freq(values.shape[1])))
    rows = [("learned", LEARNED, values), ("sinusoidal", SINUSOIDS, waves)]
    data: list[Labelled] = []
    body = 0.3 + len(rows) * (_HIGH + 1.05)
    with sheet(lang, title, about=about, says=_said(values), note=note, width=11.8, body=body) as page:
        for row, (id, name, cells) in enumerate(rows):
            y = 0.62 + row * (_HIGH + 1.05)
            found = table_similarity(cells)
            steps = table_neighbours(cells).distance
            page.write(MARGIN, y - 0.42, name.said_in(lang), colour=style.INK, va="baseline", bold=True)
            _map(page, 0, y, cells, TABLE, f"{id} table")
            _map(page, 1, y, found.values, SIMILARITY, f"{id} similarity", limit=1.0)
            _line(page, y, steps.values, f"{id} steps")
            data += [
                Labelled(id, name, cells, given.axes),
                Labelled(f"{id}_similarity", SIMILARITY, found.values, found.axes),
                Labelled(f"{id}_steps", STEPS, steps.values, steps.axes),
            ]
        return page.picture(*data)


def _said(values: NDArray[np.float64]) -> tuple[Text, ...]:
    near = table_similarity(values).values
    one, far = (float(np.nanmean(np.diagonal(near, each))) for each in (1, min(len(values) - 1, 64)))
    steps = table_neighbours(values).distance.values
    spread = float(steps.max() / max(steps.min(), 1e-12))
    apart = min(len(values) - 1, 64)
    return (
        Text(
            f"Neighbours are {one:.2f} alike, positions {apart} apart {far:.2f}; the longest step to the "
            "next "
            f"position is {numeral(spread, 3)} times the shortest, while those of sinusoids are all equal.",
            f"相邻位置的相似度为 {one:.2f}，相距 {apart} 的为 {far:.2f}；到下一个位置的最长一步是最短一步的 "
            f"{numeral(spread, 3)} 倍，而正弦编码的每一步都相等。",
        ),
    )


def _place(column: int) -> float:
    return MARGIN + 0.35 + column * (_SIDE + _GAP)


def _map(
    page: Sheet, column: int, y: float, cells: NDArray[Any], name: Text, id: str, limit: float | None = None
) -> None:
    x = _place(column)
    panel = page.panel(x, y, _SIDE, _HIGH, id)
    frameless(panel)
    shown, _ = block_means(cells, (_MOST, _MOST))
    bound = symmetric_limit(cells) if limit is None else limit
    image = panel.imshow(
        shown, cmap=style.DIVERGING, vmin=-bound, vmax=bound, aspect="auto", interpolation="nearest",
        extent=(-0.5, cells.shape[1] - 0.5, len(cells) - 0.5, -0.5),
    )  # fmt: skip
    _whole_ticks(panel, "x", cells.shape[1])
    _whole_ticks(panel, "y", len(cells))
    page.write(x, y - 0.12, name.said_in(page.lang), size=style.SMALL_SIZE, va="baseline")
    colour_bar(page, image, x + _SIDE + 0.1, y + 0.1, 1.6, "", name=f"{id} colours")


def _whole_ticks(panel: Axes, side: Any, count: int) -> None:
    places = sorted({0, count // 2, count - 1})
    set_ticks(panel, side, places)
    panel.tick_params(length=0, labelsize=style.SMALL_SIZE)


def _line(page: Sheet, y: float, steps: NDArray[Any], id: str) -> None:
    x = _place(2) + 0.1
    panel = page.panel(x, y, _SIDE - 0.1, _HIGH, id)
    linear(panel, "x", 0, max(1, len(steps) - 1), most=4, whole=True)
    linear(panel, "y", 0, 1.15 * float(steps.max()) or 1.0, most=5)
    grid(panel)
    panel.plot(np.arange(len(steps)), steps, color=style.CATEGORIES[0], linewidth=1.0)
    panel.tick_params(labelsize=style.SMALL_SIZE)
    panel.set_xlabel(POSITION.said_in(page.lang), fontsize=style.SMALL_SIZE)
    page.write(x, y - 0.12, STEPS.said_in(page.lang), size=style.SMALL_SIZE, va="baseline")
