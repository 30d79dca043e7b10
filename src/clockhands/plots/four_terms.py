"""Adding positions to tokens: the score falls into four parts; beside them, what concatenating costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clockhands.analysis.add_concatenate import FourTerms, ParameterCount
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, scientific
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, index_ticks, symmetric_limit
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

TITLE = Text("Add or concatenate", "相加还是拼接")

PARTS = (
    Text("word × word", "词 × 词"),
    Text("word × position", "词 × 位置"),
    Text("position × word", "位置 × 词"),
    Text("position × position", "位置 × 位置"),
)
"""Query × key, in the order of ``TERMS``."""
_SIDE, _SIGN = 1.62, 0.3  # inches


def four_terms(
    split: FourTerms,
    counts: Sequence[ParameterCount],
    gap: float,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw the four parts of an added score and their sum, and the parameters of three ways to join.

    split   from ``analysis.add_concatenate.four_terms``
    counts  from ``parameter_counts`` there
    gap     from ``concatenation_gap`` there: how far ``[x; p] W`` is from ``x W_x + p W_p``
    """
    noise = scientific(gap) if gap else "0"
    says = (
        Text(
            "Added, a word and its position go through one matrix, and every score is a sum of four parts.",
            "相加时，词和位置经过同一个矩阵，每个得分都是四部分之和。",
        ),
        Text(
            "Concatenated and projected they are added too, each through its own block: "
            f"[x; p] W = x Wx + p Wp (to within {noise}).",
            f"拼接再投影，其实也是相加，只是各用矩阵的一块：[x; p] W = x Wx + p Wp（误差 {noise}）。",
        ),
    )
    cost = _cost(counts)
    body = 3.3 + 0.36 * len(counts)
    with sheet(lang, title, about=about, says=says, note=split.terms.note, body=body) as page:
        _draw_parts(page, split)
        _draw_cost(page, counts)
        return page.picture(split.terms, split.spread, cost)


def _draw_parts(page: Sheet, split: FourTerms) -> None:
    terms = np.asarray(split.terms.values, dtype=np.float64)
    cells = [*terms, terms.sum(axis=0)]
    limit = symmetric_limit(*cells)
    spreads = [*split.spread.values, float(cells[-1].std())]
    names = [*PARTS, Text("the score", "得分")]
    image: Any = None
    for place, (part, name, spread) in enumerate(zip(cells, names, spreads, strict=True)):
        x = MARGIN + 0.45 + place * (_SIDE + _SIGN)
        panel = page.panel(x, 0.62, _SIDE, _SIDE, f"part {place}")
        image = panel.imshow(part, cmap=style.DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
        frameless(panel)
        page.write(x, 0.3, name.said_in(page.lang), colour=style.INK, va="baseline", size=style.SMALL_SIZE)
        words = Text(f"spread {numeral(float(spread), 2)}", f"标准差 {numeral(float(spread), 2)}")
        page.write(x, 0.52, words.said_in(page.lang), va="baseline", size=style.SMALL_SIZE)
        index_ticks(panel, "x", split.terms.axes[2], 3, page.lang)
        if place == 0:
            index_ticks(panel, "y", split.terms.axes[1], 4, page.lang)
            page.write(
                MARGIN,
                0.08,
                axis_words(split.terms.axes[1], page.lang) + " ↓",
                va="baseline",
                size=style.SMALL_SIZE,
            )
        if place < 4:
            sign = "+" if place < 3 else "="
            page.write(x + _SIDE + _SIGN / 2, 0.62 + _SIDE / 2, sign, ha="center", va="center", size=13)
    colour_bar(
        page,
        image,
        MARGIN + 0.45 + 5 * (_SIDE + _SIGN) - _SIGN + 0.12,
        0.62,
        _SIDE,
        split.terms.unit.said_in(page.lang),
    )


def _draw_cost(page: Sheet, counts: Sequence[ParameterCount]) -> None:
    top = 3.05
    names = [count.design.said_in(page.lang) for count in counts]
    left = MARGIN + max(page.width_of(name) for name in names) + 0.2
    heading = Text("parameters, up to the first layer's q, k, v", "参数个数（到第一层的 q、k、v 为止）")
    page.write(MARGIN, top - 0.12, heading.said_in(page.lang), size=style.SMALL_SIZE, va="baseline")
    height = 0.36 * len(counts)
    panel = page.panel(left, top, page.width - MARGIN - left - 2.6, height, "cost")
    panel.set_xlim(0, max(count.total for count in counts))
    panel.set_ylim(len(counts) - 0.5, -0.5)
    frameless(panel)
    panel.set_facecolor("none")
    for row, (count, name) in enumerate(zip(counts, names, strict=True)):
        panel.barh(row, count.embedding, height=0.5, color=style.CATEGORIES[0])
        panel.barh(row, count.projections, left=count.embedding, height=0.5, color=style.CATEGORIES[5])
        y = top + 0.36 * (row + 0.5)
        page.write(MARGIN, y, name, colour=style.INK, va="center")
        words = Text(
            f"{count.embedding:,} embedding + {count.projections:,} = {count.total:,}",
            f"嵌入 {count.embedding:,} + 投影 {count.projections:,} = {count.total:,}",
        ).said_in(page.lang)
        end = left + (page.width - MARGIN - left - 2.6) * count.total / max(one.total for one in counts)
        page.write(end + 0.1, y, words, size=style.SMALL_SIZE, va="center")


def _cost(counts: Sequence[ParameterCount]) -> Labelled:
    designs = np.empty(len(counts), dtype=object)
    designs[:] = [count.design.en for count in counts]
    parts = Axis(Text("part", "部分"), np.array(["embedding", "projections"]))
    values = np.array([[count.embedding, count.projections] for count in counts])
    return Labelled(
        "parameters", Text("parameters", "参数个数"), values, (Axis(Text("design", "方案"), designs), parts)
    )
