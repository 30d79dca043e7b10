"""Claims about ALiBi: its window, its slopes, and what may be left out of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import distance_axis, head_axis
from clockhands.analysis.bias import windows
from clockhands.analysis.effective_context import effective_context, widened_window
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import alibi_bias, alibi_slopes
from clockhands.language import Text
from clockhands.plots import Picture

HEADS = 8
NOTE = Text("random content, seed 0", "随机内容，随机种子 0")
SCORE_RANGE = 5.0
"""How far content moves a score either way in the example, logits."""


def _bias(distance: np.ndarray) -> np.ndarray:
    return alibi_bias(distance, alibi_slopes(HEADS))


def _outside(window: np.ndarray, score_range: float, length: int = 8192) -> float:
    """The largest weight that a head puts past its window if content favours what is outside."""
    distance = np.arange(length)
    far = distance >= window[:, None]
    odds = np.exp(_bias(distance) + np.where(far, score_range, -score_range))
    return float(((odds * far).sum(axis=1) / odds.sum(axis=1)).max())


def _window() -> Verdict:
    slopes = alibi_slopes(HEADS)
    closed = windows(slopes).holds_99.values
    seen = effective_context(_bias, 8192).windows.holds_99.values
    wide = widened_window(slopes, SCORE_RANGE).values
    plain, moved = (_outside(seen, score_range) for score_range in (0.0, SCORE_RANGE))
    return judged(
        moved <= 0.011,
        Text(
            f"Where content says nothing, 99 % of the weight of the {HEADS} heads lies within "
            f"{figure(seen[0])} to "
            f"{figure(seen[-1])} tokens. If content may move scores by {SCORE_RANGE:.0f} either way, up to "
            f"{moved:.1%} of "
            f"the weight can lie outside, and the windows widen to {figure(wide[0])} to {figure(wide[-1])}.",
            f"内容不起作用时，{HEADS} 个头各有 99 % 的权重落在 {figure(seen[0])} 到 {figure(seen[-1])} "
            "个词元以内。"
            f"如果内容能让得分上下变动 {SCORE_RANGE:.0f}，窗口外最多可有 {moved:.1%} 的权重，"
            f"窗口变宽到 {figure(wide[0])} 到 {figure(wide[-1])}。",
        ),
        Number(Text("window of the steepest head", "最陡的头的窗口"), float(seen[0]), TOKENS),
        Number(Text("window of the flattest head", "最平的头的窗口"), float(seen[-1]), TOKENS),
        Number(Text("the same, content ±5", "同上，内容 ±5"), float(wide[-1]), TOKENS),
        Number(Text("largest weight outside, content ±5", "窗口外最大权重，内容 ±5"), moved),
        condition=Text("where content hardly changes the scores", "内容几乎不改变得分"),
        holds_then=plain <= 0.011 and bool(np.array_equal(closed, seen)),
    )


def _draw_window(**page: Any) -> Picture:
    weights, reach = effective_context(_bias, 8192).weights.values, 1280
    lines = [
        Labelled(
            "held",
            Text(f"head {head + 1}", f"头 {head + 1}"),
            100 * weights[head].cumsum()[:reach],
            (distance_axis(np.arange(reach)),),
            Text("%", "%"),
        )
        for head in range(HEADS)
    ]
    says = Text(
        "Share of a head's weight within a distance, where content says nothing.",
        "内容不起作用时，一个头在某个距离以内的权重占比。",
    )
    return plots.curves(lines, says=says, measured=Text("share of the weight", "权重占比"), **page)


def plain_slopes(heads: int) -> np.ndarray:
    """``2 ** (-8 h / H)`` for h = 1 … H, whatever H is."""
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


def _every_count() -> Verdict:
    equal = {heads: bool(np.allclose(alibi_slopes(heads), plain_slopes(heads))) for heads in range(1, 65)}
    powers = [heads for heads in equal if heads & (heads - 1) == 0]
    wrong = sum(not same for same in equal.values())
    twelve, plain = alibi_slopes(12), plain_slopes(12)
    return judged(
        not wrong,
        Text(
            f"Of the head counts up to 64, {wrong} have other slopes: those that are no power of two take "
            "the slopes of "
            f"the power below and every other one of the power above. With 12 heads the first slope is "
            f"{figure(twelve[0])}, not {figure(plain[0])}.",
            f"64 以内的头数中，有 {wrong} 种的斜率与此不同：头数不是 2 的幂时，先取较小的 2 的幂的全部斜率，"
            f"再从较大的里隔一个取一个。12 个头时，第一个斜率是 {figure(twelve[0])}，不是 "
            f"{figure(plain[0])}。",
        ),
        Number(Text("head counts with other slopes", "斜率不同的头数种类"), wrong),
        Number(
            Text("first slope of 12 heads", "12 个头的第一个斜率"),
            float(twelve[0]),
            Text("logits / token", "得分 / 词元"),
        ),
        Number(
            Text("the plain formula", "直接套公式"), float(plain[0]), Text("logits / token", "得分 / 词元")
        ),
        condition=Text("if the number of heads is a power of two", "头数是 2 的幂"),
        holds_then=all(equal[heads] for heads in powers),
    )


def _draw_slopes(**page: Any) -> Picture:
    axes = (head_axis(12),)
    unit = Text("logits / token", "得分 / 词元")
    lines = [
        Labelled("slopes", Text("as published", "公布的"), alibi_slopes(12), axes, unit),
        Labelled("plain", Text("2^(-8h/12)", "2^(-8h/12)"), plain_slopes(12), axes, unit),
    ]
    return plots.curves(
        lines, says=Text("Slopes of 12 heads.", "12 个头的斜率。"), measured=Text("slope", "斜率"), **page
    )


def _causal_weights(logits: np.ndarray) -> np.ndarray:
    masked = np.where(np.tri(logits.shape[-1], dtype=bool), logits, -np.inf)
    odds = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def _both_forms() -> tuple[np.ndarray, np.ndarray]:
    """Weights with the bias of distances and with the bias of key positions alone, ``(heads, n, n)``."""
    place = np.arange(64)
    content = np.random.default_rng(0).normal(size=(HEADS, 64, 64))
    of_keys = alibi_slopes(HEADS)[:, None, None] * place
    return _causal_weights(content + _bias(place[:, None] - place)), _causal_weights(content + of_keys)


def _key_only() -> Verdict:
    by_distance, by_key = _both_forms()
    gap = float(np.abs(by_distance - by_key).max())
    return judged(
        gap < 1e-9,
        Text(
            "A row's constant falls out of the softmax: + slope · n and - slope · (m - n) give the same "
            "causal weights, "
            f"to {figure(gap)}. BLOOM adds the first.",
            f"softmax 会消去每一行的常数：+ 斜率 · n 与 - 斜率 · (m - n) 得到的因果注意力权重相同"
            f"（误差 {figure(gap)}）。BLOOM 用的就是前一种。",
        ),
        Number(Text("largest difference of a weight", "权重的最大差"), gap),
    )


def _draw_key_only(**page: Any) -> Picture:
    names = (Text("- slope · (m - n)", "- 斜率 · (m - n)"), Text("+ slope · n", "+ 斜率 · n"))
    lines = [
        Labelled("weight", name, weights[:, -1, -1], (head_axis(HEADS),), NOTHING, NOTE)
        for name, weights in zip(names, _both_forms(), strict=True)
    ]
    says = Text(
        "Weight that the last query gives itself, by head: two curves, one on the other.",
        "最后一个查询给自己的权重，按头：两条曲线完全重合。",
    )
    return plots.curves(lines, says=says, measured=Text("weight", "权重"), **page)


CLAIMS = (
    Claim(
        id="alibi-window",
        statement=Text("An ALiBi head sees only its window.", "ALiBi 的每个头只看得到自己的窗口。"),
        source="Press et al. 2022, arXiv 2108.12409",
        examine=_window,
        draw=_draw_window,
    ),
    Claim(
        id="alibi-slopes",
        statement=Text(
            "ALiBi's slopes are 2^(-8h/H) for any number of heads H.",
            "不管有多少个头 H，ALiBi 的斜率都是 2^(-8h/H)。",
        ),
        source="Press et al. 2022, arXiv 2108.12409, and its code, get_slopes; "
        "ml-explore/mlx pull request 3071",
        examine=_every_count,
        draw=_draw_slopes,
    ),
    Claim(
        id="alibi-keys-alone",
        statement=Text(
            "Under a causal mask ALiBi needs the key's position alone.",
            "有因果掩码时，ALiBi 只需要键的位置。",
        ),
        source="Press et al. 2022, arXiv 2108.12409, section 3; huggingface/transformers, modeling_bloom.py",
        examine=_key_only,
        draw=_draw_key_only,
    ),
)
