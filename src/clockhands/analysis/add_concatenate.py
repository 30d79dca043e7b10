"""Adding positions to tokens or putting them side by side: what each does to the scores and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import LOGITS, position_axis
from clockhands.analysis.diagonals import random_projections, same_shape
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory

TERMS = ("xx", "xp", "px", "pp")
"""Which of query and key speaks: x the content, p the position."""


@dataclass(frozen=True)
class FourTerms:
    """The four parts of the logits of added positions.

    ``terms``   ``(4, n, n)``, logits; their sum is the score of ``content + table``
    ``spread``  ``(4,)``, logits: standard deviation of each, which says how much it decides
    """

    terms: Labelled
    spread: Labelled


@dataclass(frozen=True)
class ParameterCount:
    """Parameters of one way to join tokens and positions, up to the first layer's q, k and v."""

    design: Text
    token_width: int
    model_input: int
    embedding: int
    projections: int

    @property
    def total(self) -> int:
        return self.embedding + self.projections


@dataclass(frozen=True)
class Overlap:
    """How far content and positions get into each other's way when added.

    ``cosine``      root mean square of the cosine between a token's vector and a position's
    ``by_chance``   what random directions of this width give: 1 / sqrt(width)
    ``directions``  how many orthogonal directions hold 99 % of the table's energy around its mean
    ``width``       how many there are
    """

    cosine: float
    by_chance: float
    directions: int
    width: int


def four_terms(content: ArrayLike, table: ArrayLike, seed: int = 0) -> FourTerms:
    """Split ``((x + p) W_q)((x + p) W_k)^T / sqrt(width)`` into its four products.

    ``content``, ``table``: ``(n, width)``. ``W_q``, ``W_k``: random, as in ``projected_scores``.

    >>> split = four_terms([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]])
    >>> split.spread.values[1:].tolist()
    [0.0, 0.0, 0.0]
    """
    p = inputs.rows(table)
    x = same_shape(content, p)
    n, width = len(p), p.shape[1]
    require_memory(Text("the four terms", "四项得分"), (4, n, n))
    to_query, to_key = random_projections(width, seed)
    values = np.stack([(a @ to_query) @ (b @ to_key).T for a in (x, p) for b in (x, p)]) / np.sqrt(width)
    term_axis = Axis(Text("term", "项"), np.array(TERMS))
    query_axis = position_axis(np.arange(n), Text("query position", "查询位置"))
    key_axis = position_axis(np.arange(n), Text("key position", "键位置"))
    note = Text(f"random projections, seed {seed}", f"随机投影，种子 {seed}")
    name, spread_name = Text("terms of the logits", "得分的四项"), Text("spread of each term", "各项的标准差")
    axes = (term_axis, query_axis, key_axis)
    return FourTerms(
        Labelled("terms", name, values, axes, LOGITS, note),
        Labelled("spread", spread_name, values.std(axis=(1, 2)), (term_axis,), LOGITS, note),
    )


def concatenation_gap(content: ArrayLike, table: ArrayLike, width_out: int, seed: int = 0) -> float:
    """Largest difference between ``[x; p] W`` and ``x W_x + p W_p``, for the two blocks of a random W.

    Rounding, no more: putting side by side and then projecting *is* adding, with a block of the matrix for
    each. Adding at full width is the case in which both share one block.

    ``content``: ``(n, d_x)``, ``table``: ``(n, d_p)``.

    >>> concatenation_gap([[1.0, 2.0]], [[3.0]], width_out=4) < 1e-14
    True
    """
    x, p = inputs.rows(content), inputs.rows(table)
    if len(x) != len(p):
        raise ClockhandsError(
            f"the content has {len(x)} rows and the table {len(p)}: give one of each per position",
            f"内容有 {len(x)} 行，位置表有 {len(p)} 行：每个位置各需一行",
        )
    matrix = np.random.default_rng(seed).normal(size=(x.shape[1] + p.shape[1], width_out))
    together = np.concatenate([x, p], axis=1) @ matrix
    apart = x @ matrix[: x.shape[1]] + p @ matrix[x.shape[1] :]
    return float(np.abs(together - apart).max())


def parameter_counts(vocab_size: int, d_model: int, position_width: int) -> tuple[ParameterCount, ...]:
    """What adding and two ways of concatenating cost: width kept (tokens get narrower), width grown.

    Counted are the token embedding and the first layer's three projections to ``d_model``; the positions
    themselves are fixed and cost nothing. Concatenating costs more only if the width grows.

    >>> [count.total for count in parameter_counts(1000, d_model=64, position_width=16)]
    [76288, 60288, 79360]
    """
    vocab = inputs.count(vocab_size, Text("the vocabulary", "词表大小"))
    width = inputs.count(d_model, Text("d_model", "模型宽度 d_model "))
    position = inputs.count(position_width, Text("the width of the positions", "位置的宽度"), most=width - 1)
    designs = (
        (Text("added", "相加"), width, width),
        (Text("concatenated, width kept", "拼接，总宽度不变"), width - position, width),
        (Text("concatenated, width grown", "拼接，总宽度增大"), width, width + position),
    )
    return tuple(
        ParameterCount(name, tokens, joined, vocab * tokens, 3 * joined * width)
        for name, tokens, joined in designs
    )


def overlap(content: ArrayLike, table: ArrayLike) -> Overlap:
    """How nearly orthogonal tokens and positions are, and how few directions the positions use.

    ``content``: ``(tokens, width)``; ``table``: ``(positions, width)``; rows of zeros are left out.

    >>> overlap([[1.0, 0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]])
    Overlap(cosine=0.0, by_chance=0.5, directions=1, width=4)
    """
    x, p = inputs.rows(content), inputs.rows(table)
    if x.shape[1] != p.shape[1]:
        raise ClockhandsError(
            f"the content is {x.shape[1]} wide and the table {p.shape[1]}: adding needs the same width",
            f"内容宽 {x.shape[1]}，位置表宽 {p.shape[1]}：相加要求宽度相同",
        )
    cosines = _units(x) @ _units(p).T
    energy = np.linalg.svd(p - p.mean(axis=0), compute_uv=False) ** 2
    held = energy.cumsum() / (energy.sum() or 1.0)
    return Overlap(
        float(np.sqrt((cosines**2).mean())) if cosines.size else 0.0,
        float(p.shape[1] ** -0.5),
        int((held < 0.99).sum()) + 1 if energy.any() else 0,
        p.shape[1],
    )


def _units(rows: Floats) -> Floats:
    """Rows scaled to length 1, those of zeros left out."""
    norms = np.linalg.norm(rows, axis=1)
    return rows[norms > 0] / norms[norms > 0, None]
