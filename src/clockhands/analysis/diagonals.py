"""Does a matrix of pairs depend on the distance alone? How much it varies along its diagonals says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis import inputs
from clockhands.analysis.axes import LOGITS, distance_axis, position_axis
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory

STEADY = 1e-9
"""Spread along a diagonal, relative to the largest entry, under which it counts as one number."""


@dataclass(frozen=True)
class Diagonals:
    """Mean, smallest and largest entry at each distance (query - key), each ``(distances,)``."""

    mean: Labelled
    lowest: Labelled
    highest: Labelled

    @property
    def spread(self) -> float:
        """Largest difference between two entries of one diagonal, 0 if there are no numbers."""
        return float(np.nanmax(self.highest.values - self.lowest.values, initial=0.0))

    @property
    def constant(self) -> bool:
        """Whether the matrix depends on the distance alone, rounding aside."""
        largest = np.nanmax(np.abs([self.lowest.values, self.highest.values]), initial=0.0)
        return self.spread <= STEADY * float(largest)


def diagonals(matrix: Labelled) -> Diagonals:
    """Sum up a square ``(n, n)`` matrix at the distances 0 … n-1, on and below the main diagonal.

    NaN and infinity stand aside; a diagonal without numbers is NaN.
    """
    return _along(matrix, np.arange(len(matrix.values)))


def _along(matrix: Labelled, distances: NDArray[np.int64]) -> Diagonals:
    lines = [np.diagonal(matrix.values, -distance) for distance in distances.tolist()]
    finite = [line[np.isfinite(line)] for line in lines]
    axes = (distance_axis(distances),)

    def each(id: str, name: Text, of: Callable[[Floats], np.float64]) -> Labelled:
        values = np.array([of(line) if len(line) else np.nan for line in finite])
        return Labelled(id, name, values, axes, matrix.unit, matrix.note)

    return Diagonals(
        each("mean", Text("mean at this distance", "该距离上的平均值"), np.mean),
        each("lowest", Text("smallest at this distance", "该距离上的最小值"), np.min),
        each("highest", Text("largest at this distance", "该距离上的最大值"), np.max),
    )


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
    places = np.arange(n)
    axes = (position_axis(places), position_axis(places))
    along = _along(Labelled("matrix", Text("matrix", "矩阵"), cells, axes), np.arange(1 - n, n))
    off = cells - along.mean.values[places[:, None] - places + n - 1]
    return DiagonalSpread(float((off**2).mean() ** 0.5), float(cells.std()), along.spread)


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
