"""Claims about how similar the sinusoidal codes of two positions are."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.diagonals import diagonals
from clockhands.analysis.horizon import horizon
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.neighbours import table_neighbours
from clockhands.analysis.similarity import table_similarity
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq, sinusoid
from clockhands.language import Text
from clockhands.plots import Picture

WIDTHS = (32, 128, 512)
REACH = 20_000


def _decays() -> Verdict:
    found = {width: horizon(default_inv_freq(width), REACH) for width in WIDTHS}
    near = horizon(default_inv_freq(WIDTHS[0]), 99)
    low = found[WIDTHS[-1]].lowest
    rises = [one.first_rise for one in found.values()]
    seen = " / ".join("-" if rise is None else str(rise) for rise in rises)
    return judged(
        all(rise is None for rise in rises),
        Text(
            f"First rise at distance {seen} for a width of 32 / 128 / 512. At width 32, "
            f"{near.rising_share:.0%} of the single steps among the first 100 positions go up, and at "
            "width 512 the "
            "cosine "
            f"falls to {figure(low.value, 3)} at distance {figure(low.distance)}.",
            f"宽度为 32 / 128 / 512 时，相似度第一次回升分别在距离 {seen}。宽度为 32 时，"
            f"前 100 个位置里有 {near.rising_share:.0%} 的步子是向上的；"
            f"宽度为 512 时，余弦在距离 {figure(low.distance)} 处低到 {figure(low.value, 3)}。",
        ),
        *(
            Number(Text(f"first rise, width {width}", f"第一次回升，宽度 {width}"), one.first_rise, TOKENS)
            for width, one in found.items()
        ),
        *(
            Number(
                Text(f"first negative, width {width}", f"首次为负，宽度 {width}"), one.first_negative, TOKENS
            )
            for width, one in found.items()
        ),
    )


def _draw_decay(**page: Any) -> Picture:
    return plots.kernel(kernel_range(default_inv_freq(32), 120), **page)


def _table(width: int = 32, count: int = 100) -> np.ndarray:
    return sinusoid(np.arange(count), default_inv_freq(width))


def _only_roughly() -> Verdict:
    table = _table()
    along = diagonals(table_similarity(table, measure="dot"))
    norms = np.linalg.norm(table, axis=1)
    noise, uneven = along.spread, float(np.ptp(norms))
    return judged(
        noise > 1e-9,
        Text(
            f"It is exact: over 100 positions, dot products at one distance differ by {figure(noise)}, "
            "which is "
            f"rounding. Every row has the length {figure(norms.mean())}, so cosine and dot product differ by "
            "a constant.",
            f"它是精确的：100 个位置中，同一距离上的点积最多相差 {figure(noise)}，那是舍入误差。"
            f"每一行的长度都是 {figure(norms.mean())}，所以余弦与点积只差一个常数。",
        ),
        Number(Text("spread along a diagonal", "同一对角线上的最大差"), noise),
        Number(Text("length of a row", "每行的长度"), float(norms.mean())),
        Number(Text("spread of the lengths", "行长度的最大差"), uneven),
    )


def _draw_matrix(**page: Any) -> Picture:
    return plots.similarity(table_similarity(_table()), **page)


def _neighbours_vary() -> Verdict:
    found = {width: table_neighbours(_table(width, 1000)) for width in WIDTHS}
    spread = max(one.spread for one in found.values())
    seen = " / ".join(f"{one.mean:.5f}" for one in found.values())
    return judged(
        not all(one.constant for one in found.values()),
        Text(
            f"It is the same everywhere: {seen} for a width of 32 / 128 / 512, to within {figure(spread)}. "
            "A plot "
            "that scales itself shows rounding noise.",
            f"处处相同：宽度为 32 / 128 / 512 时分别是 {seen}，误差 {figure(spread)}。"
            "坐标轴自动缩放的图，画出来的只是舍入噪声。",
        ),
        *(
            Number(Text(f"neighbour distance, width {width}", f"相邻位置距离，宽度 {width}"), one.mean)
            for width, one in found.items()
        ),
        Number(Text("largest minus smallest", "最大减最小"), spread),
    )


def _draw_neighbours(**page: Any) -> Picture:
    return plots.distance(table_neighbours(_table()).distance, **page)


CLAIMS = (
    Claim(
        id="similarity-decays",
        statement=Text(
            "Similarity of positions falls steadily with distance.", "位置之间的相似度随距离一路下降。"
        ),
        source="Kazemnejad 2019, Transformer Architecture: The Positional Encoding; "
        "Vaswani et al. 2017, arXiv 1706.03762",
        examine=_decays,
        draw=_draw_decay,
    ),
    Claim(
        id="dot-product-roughly",
        statement=Text(
            "PE(p + k) · PE(p) is only roughly a function of k.", "PE(p + k) · PE(p) 只是大致由 k 决定。"
        ),
        source="Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
        examine=_only_roughly,
        draw=_draw_matrix,
    ),
    Claim(
        id="neighbour-distance-varies",
        statement=Text(
            "The distance between neighbours varies; plot it to check a sinusoidal code.",
            "相邻位置的距离会变化，画出来可以检查正弦位置编码是否健康。",
        ),
        source="Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
        examine=_neighbours_vary,
        draw=_draw_neighbours,
    ),
)
