"""Claims about what is left of positions once they are added to tokens and projected."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.add_concatenate import concatenation_gap, four_terms, overlap, parameter_counts
from clockhands.analysis.diagonals import diagonal_spread, projected_scores
from clockhands.claims.claim import Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq, sinusoid
from clockhands.language import Text
from clockhands.plots import Picture

WIDTH, COUNT = 128, 100
SEED = 0


def _table() -> np.ndarray:
    return sinusoid(np.arange(COUNT), default_inv_freq(WIDTH))


def _content(width: int = WIDTH) -> np.ndarray:
    return np.random.default_rng(SEED + 1).normal(size=(COUNT, width))


def _by_distance() -> Verdict:
    table = _table()
    raw = diagonal_spread(table @ table.T)
    alone = diagonal_spread(projected_scores(table, SEED).values)
    added = diagonal_spread(projected_scores(table, SEED, _content()).values)
    return judged(
        alone.share < 0.01 and added.share < 0.01,
        Text(
            "Of the plain dot products the distance explains all (spread along diagonals "
            f"{figure(raw.share)} of the "
            f"total). After random W_q and W_k that spread is {alone.share:.0%} of the total, with content "
            "added "
            f"{added.share:.0%}. Only RoPE and biases put the distance into the score, and RoPE only for "
            "one q "
            "and one k.",
            f"对原始点积，距离解释了一切（对角线上的起伏只占总起伏的 {figure(raw.share)}）。"
            f"经过随机的 W_q 与 W_k 之后，这一比例是 {alone.share:.0%}；再加上内容，是 {added.share:.0%}。"
            "只有 RoPE 和偏置才把距离放进得分，而 RoPE 也只对固定的 q 和 k 如此。",
        ),
        Number(Text("share within diagonals, plain", "对角线内的占比，原始"), raw.share),
        Number(Text("share within diagonals, projected", "对角线内的占比，投影后"), alone.share),
        Number(Text("share within diagonals, with content", "对角线内的占比，加内容后"), added.share),
    )


def _draw_scores(**page: Any) -> Picture:
    return plots.similarity(projected_scores(_table(), SEED), **page)


def _cleaner() -> Verdict:
    content, table = _content(96), sinusoid(np.arange(COUNT), default_inv_freq(32))
    gap = concatenation_gap(content, table, WIDTH, SEED)
    apart = overlap(_content(), _table())
    return judged(
        gap > 1e-9,
        Text(
            f"[x; p] W is x W_x + p W_p, to {figure(gap)}: putting side by side and projecting is adding, "
            "with a "
            "block of the matrix for each. Adding at full width shares one block, and tokens and positions "
            "can "
            f"still be told apart: their cosine is {figure(apart.cosine, 2)} (chance: "
            f"{figure(apart.by_chance, 2)}), "
            f"and positions use {apart.directions} of {apart.width} directions.",
            f"[x; p] W 就是 x W_x + p W_p（误差 {figure(gap)}）：先拼接再投影，就是相加，"
            "只不过各用矩阵的一块。"
            "直接相加则共用一块，词元与位置仍然分得开："
            f"两者的余弦是 {figure(apart.cosine, 2)}（随机方向为 {figure(apart.by_chance, 2)}），"
            f"位置只占 {apart.width} 个方向里的 {apart.directions} 个。",
        ),
        Number(Text("difference of the two", "两者之差"), gap),
        Number(Text("cosine of tokens and positions", "词元与位置的余弦"), apart.cosine),
        Number(Text("directions that positions use", "位置占用的方向数"), apart.directions),
    )


def _draw_terms(**page: Any) -> Picture:
    split = four_terms(_content()[:40], _table()[:40], SEED)
    gap = concatenation_gap(_content(96), sinusoid(np.arange(COUNT), default_inv_freq(32)), WIDTH, SEED)
    return plots.four_terms(split, parameter_counts(1000, WIDTH, 32), gap, **page)


CLAIMS = (
    Claim(
        id="attention-by-distance",
        statement=Text(
            "The similarity of codes depends on distance only, so attention does too.",
            "位置编码的相似度只看距离，所以注意力也只看距离。",
        ),
        source="Ke et al. 2020, TUPE, arXiv 2006.15595 (the four terms)",
        examine=_by_distance,
        draw=_draw_scores,
    ),
    Claim(
        id="concatenation-is-cleaner",
        statement=Text(
            "Adding mixes words and positions; concatenating keeps them apart.",
            "相加会把词和位置混在一起，拼接才能分开。",
        ),
        source="Ke et al. 2020, TUPE, arXiv 2006.15595",
        examine=_cleaner,
        draw=_draw_terms,
    ),
)
