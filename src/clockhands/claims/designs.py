"""Claims about tables of one's own: learned ones, and mixed frequencies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.horizon import horizon
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.similarity import table_similarity
from clockhands.analysis.spectrum import spectrum
from clockhands.catalogue import describe
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq, mixed_inv_freq
from clockhands.language import Text
from clockhands.plots import Picture

WIDTH, COUNT = 64, 512


def untrained() -> np.ndarray:
    """A learned table as it is before training, ``(positions, width)``."""
    table = describe("learned", d_model=WIDTH, max_positions=COUNT).table(np.arange(COUNT))
    assert table is not None
    return table


def _neighbours() -> Verdict:
    similar = table_similarity(untrained()).values
    near, apart = np.diagonal(similar, 1), similar[np.triu_indices(COUNT, 2)]
    error = float(apart.std() / np.sqrt(len(near)))
    lead = float(near.mean() - apart.mean())
    return judged(
        lead > 5 * error,
        Text(
            f"Before training its rows are random: neighbours have a cosine of {figure(near.mean(), 2)} on "
            "average, all "
            f"other pairs {figure(apart.mean(), 2)} with a spread of {figure(apart.std(), 2)}. Nearness "
            "has to be "
            "learned from data; a sinusoid has it from the start.",
            f"训练前每一行都是随机的：相邻位置的余弦平均为 {figure(near.mean(), 2)}，"
            f"其余位置平均 {figure(apart.mean(), 2)}，标准差 {figure(apart.std(), 2)}。"
            "远近要从数据里学；正弦编码则一开始就有。",
        ),
        Number(Text("mean cosine of neighbours", "相邻位置的平均余弦"), float(near.mean())),
        Number(Text("mean cosine of the others", "其余位置的平均余弦"), float(apart.mean())),
        Number(Text("spread", "标准差"), float(apart.std())),
    )


def _draw_untrained(**page: Any) -> Picture:
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    return plots.similarity(replace(table_similarity(untrained()[:64]), note=note), **page)


def _best_of_both() -> Verdict:
    plain, mixed = default_inv_freq(32), mixed_inv_freq(32)
    slow, slower = (spectrum(speeds, 1).longest for speeds in (mixed, plain))
    echo = horizon(mixed, 1000).echo
    nearer = 0 if echo is None else int((kernel_range(mixed, echo.distance).values > echo.value).sum())
    return judged(
        slow > slower / 2 and echo is None,
        Text(
            f"The mean of both schedules is no mix of bands: the slowest hand falls from {figure(slower)} to "
            f"{figure(slow)} tokens a turn, and similarity returns to "
            + (
                "nothing."
                if echo is None
                else f"{figure(echo.value, 3)} at distance {echo.distance}, where only "
                f"{nearer - 1} distances before look nearer."
            ),
            f"两套频率取平均，并不是把频段合在一起：最慢指针的波长从 {figure(slower)} 降到 {figure(slow)} "
            "个词元，"
            + (
                "相似度不再回升。"
                if echo is None
                else f"相似度在距离 {echo.distance} 处回升到 {figure(echo.value, 3)}，"
                f"在它之前只有 {nearer - 1} 个距离显得更近。"
            ),
        ),
        Number(Text("longest wavelength, geometric", "最长波长，几何"), slower, TOKENS),
        Number(Text("longest wavelength, mixed", "最长波长，混合"), slow, TOKENS),
        Number(Text("distance of the echo", "回升处的距离"), None if echo is None else echo.distance, TOKENS),
        Number(Text("cosine there", "那里的余弦"), None if echo is None else echo.value),
    )


def _draw_mixed(**page: Any) -> Picture:
    return plots.kernel(kernel_range(mixed_inv_freq(32), 400), **page)


CLAIMS = (
    Claim(
        id="learned-knows-neighbours",
        statement=Text(
            "A learned table knows from the start which positions are neighbours.",
            "可学习的位置表一开始就知道哪些位置相邻。",
        ),
        source="Gehring et al. 2017, arXiv 1705.03122; Devlin et al. 2018, arXiv 1810.04805",
        examine=_neighbours,
        draw=_draw_untrained,
    ),
    Claim(
        id="mixed-is-best-of-both",
        statement=Text(
            "The mean of a linear and a geometric schedule has the best of both.",
            "线性与几何两套频率取平均，能兼得两者之长。",
        ),
        source="an article on clock hands, after Vaswani et al. 2017, arXiv 1706.03762",
        examine=_best_of_both,
        draw=_draw_mixed,
    ),
)
