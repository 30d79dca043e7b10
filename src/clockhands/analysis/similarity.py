"""The similarity matrix of positions, as a real array."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import position_axis
from clockhands.analysis.inputs import Floats
from clockhands.analysis.kernel import Measure, kernel_range, measure_name
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.memory import require_memory

MATRIX = Text("a similarity matrix", "相似度矩阵")


def similarity(
    inv_freq: ArrayLike, num_positions: int, start: int = 0, measure: Measure = "cosine"
) -> Labelled:
    """Similarity of the sinusoidal codes of ``num_positions`` positions from ``start`` on, ``(n, n)``.

    ``inv_freq``: ``(pairs,)``, rad / token. The matrix depends on the distance alone, so each row is a
    shifted copy of one curve: no product of tables is needed. It is exactly symmetric, and its diagonals are
    exactly constant.

    >>> similarity([1.0, 0.1], 3).values.round(4).tolist()
    [[1.0, 0.7677, 0.282], [0.7677, 1.0, 0.7677], [0.282, 0.7677, 1.0]]
    """
    n = inputs.count(num_positions, Text("the number of positions", "位置数"))
    start = inputs.count(start, Text("the first position", "起始位置"), -inputs.FARTHEST)
    require_memory(MATRIX, (n, n))
    curve = kernel_range(inv_freq, n, measure=measure).values
    mirrored = np.concatenate([curve[:0:-1], curve])
    shifted = np.lib.stride_tricks.sliding_window_view(mirrored, n)[::-1]
    return _labelled(np.ascontiguousarray(shifted), start, measure)


def table_similarity(table: ArrayLike, start: int = 0, measure: Measure = "cosine") -> Labelled:
    """Similarity of the rows of any ``table``, ``(n, width)``, as one matrix product, ``(n, n)`` float64.

    The cosine with a row of zeros, which has no direction, is NaN.

    >>> table_similarity([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]]).values.tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """
    vectors = inputs.rows(table)
    require_memory(MATRIX, (len(vectors), len(vectors)))
    if measure == "cosine":
        vectors = _of_length_one(vectors)
    return _labelled(vectors @ vectors.T, start, measure)


def _of_length_one(vectors: Floats) -> Floats:
    """Rows over their lengths; a row of zeros, which has no direction, becomes NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not 1e-140 < lengths.min() <= lengths.max() < 1e140:
            # Squares of very large or small numbers are lost.
            largest = np.abs(vectors).max(axis=1, keepdims=True)
            vectors = vectors / np.where(largest == 0, np.nan, largest)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _labelled(values: Floats, start: int, measure: Measure) -> Labelled:
    positions = np.arange(start, start + len(values))
    axes = (
        position_axis(positions, Text("position i", "位置 i")),
        position_axis(positions, Text("position j", "位置 j")),
    )
    return Labelled("similarity", measure_name(measure), values, axes)
