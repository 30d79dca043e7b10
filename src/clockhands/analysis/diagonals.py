"""Does a matrix of scores depend on the distance alone? How much it varies along its diagonals says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import LOGITS, position_axis
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory


@dataclass(frozen=True)
class DiagonalSpread:
    """How far a square matrix is from depending on the distance alone.

    ``within``  standard deviation around the mean of the diagonal that a cell is on
    ``total``   standard deviation around the mean of all cells
    ``worst``   largest difference between two cells of one diagonal (the Toeplitz residual)
    """

    within: float
    total: float
    worst: float

    @property
    def share(self) -> float:
        """``within / total``: 0 if the distance explains everything, near 1 if it explains nothing."""
        return self.within / self.total if self.total else 0.0


def diagonal_spread(matrix: ArrayLike) -> DiagonalSpread:
    """Spread of a square ``matrix``, ``(n, n)``, along its diagonals and as a whole.

    >>> diagonal_spread([[1.0, 2.0], [3.0, 1.0]]).worst, diagonal_spread([[1.0, 0.0], [0.0, 3.0]]).worst
    (0.0, 2.0)
    """
    cells = inputs.rows(matrix)
    n = len(cells)
    if cells.shape != (n, n):
        raise ClockhandsError(
            f"the matrix has shape {cells.shape}: give as many rows as columns",
            f"矩阵的形状是 {cells.shape}：行数与列数应相等",
        )
    diagonal = [np.diagonal(cells, offset) for offset in range(1 - n, n)]
    squares = sum(float(((line - line.mean()) ** 2).sum()) for line in diagonal)
    worst = max(float(np.ptp(line)) for line in diagonal)
    return DiagonalSpread((squares / n**2) ** 0.5, float(cells.std()), worst)


def projected_scores(table: ArrayLike, seed: int = 0, content: ArrayLike | None = None) -> Labelled:
    """Logits after random query and key projections, as a model sees added positions, ``(n, n)`` float64.

    ``table``: ``(n, width)``, what is added; ``content``: ``(n, width)``, token embeddings to add it to, or
    none. ``logits = (x W_q)(x W_k)^T / sqrt(width)``, the entries of ``W_q`` and ``W_k`` being independent
    N(0, 1 / width). Stripes that the table itself shows are gone: only RoPE and biases keep the distance in
    the score.

    >>> projected_scores([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]).values.shape
    (3, 3)
    """
    x = inputs.rows(table)
    if content is not None:
        x = x + same_shape(content, x)
    n, width = len(x), x.shape[1]
    require_memory(Text("a matrix of logits", "得分矩阵"), (n, n))
    to_query, to_key = random_projections(width, seed)
    values = (x @ to_query) @ (x @ to_key).T / np.sqrt(width)
    positions = np.arange(n)
    axes = (
        position_axis(positions, Text("query position", "查询位置")),
        position_axis(positions, Text("key position", "键位置")),
    )
    note = Text(f"random projections, seed {seed}", f"随机投影，种子 {seed}")
    return Labelled("projected_scores", Text("logits", "得分"), values, axes, LOGITS, note)


def random_projections(width: int, seed: int) -> tuple[Floats, Floats]:
    """Query and key matrices with independent N(0, 1 / width) entries, each ``(width, width)``."""
    generator = np.random.default_rng(seed)
    to_query, to_key = generator.normal(size=(2, width, width)) / np.sqrt(width)
    return to_query, to_key


def same_shape(content: ArrayLike, table: Floats) -> Floats:
    """Token embeddings as float64, refused unless there is one per position and as wide as ``table``."""
    x = inputs.rows(content)
    if x.shape != table.shape:
        raise ClockhandsError(
            f"the content has shape {x.shape} and the table {table.shape}: adding needs the same shape",
            f"内容的形状是 {x.shape}，位置表的形状是 {table.shape}：相加要求两者相同",
        )
    return x
