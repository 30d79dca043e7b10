"""Claims about going past the trained length."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import distance_axis
from clockhands.analysis.base_bound import base_bound, first_negative
from clockhands.analysis.critical import small_bases
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq
from clockhands.language import Text
from clockhands.plots import Picture

HEAD_DIM, TRAINED = 128, 4096
CONTEXT = 1024


def unseen(inv_freq: np.ndarray, trained: int, distances: np.ndarray) -> np.ndarray:
    """``(distances, pairs)`` bool: angles that distances below ``trained`` never showed."""
    turn = 2 * np.pi
    reached = np.minimum(inv_freq * (trained - 1), turn)
    return (distances[:, None] * inv_freq) % turn > reached


def _by_itself() -> Verdict:
    at = np.array([2 * TRAINED, 4 * TRAINED])
    pairs = HEAD_DIM // 2
    twice, four_times = unseen(default_inv_freq(HEAD_DIM), TRAINED, at).sum(axis=1)
    base = small_bases(TRAINED - 1)[2]
    tuned = unseen(default_inv_freq(HEAD_DIM, base), TRAINED, np.arange(TRAINED, 4 * TRAINED)).any()
    return judged(
        not (twice or four_times),
        Text(
            f"Defined is not trained: with a base of 10000 and {TRAINED:,} trained tokens, {twice} of "
            f"{pairs} hands stand "
            f"at angles never seen at twice the length, {four_times} at four times. No hand does with a "
            "base of "
            f"{figure(base)}" + (", and even then seen angles prove nothing about new combinations."),
            f"有定义不等于训练过：底数 10000、训练长度 {TRAINED:,} 时，到两倍长度处，{pairs} 根指针里有 "
            f"{twice} 根"
            f"停在从没见过的角度上，四倍处有 {four_times} 根。底数降到 {figure(base)} 就一根也没有，"
            "但角度见过，也不说明新的组合没问题。",
        )
        if not tuned
        else Text(
            "Angles never seen are met even with a small base.", "即使底数很小，也会遇到没见过的角度。"
        ),
        Number(Text("unseen at twice the length", "两倍长度处没见过的"), int(twice), Text("hands", "根")),
        Number(Text("unseen at four times", "四倍长度处没见过的"), int(four_times), Text("hands", "根")),
        Number(Text("base without unseen angles", "没有陌生角度的底数"), base),
    )


def _draw_unseen(**page: Any) -> Picture:
    distances = np.arange(0, 4 * TRAINED + 1, 64)
    lines = [
        Labelled(
            "unseen",
            Text(f"base {figure(base)}", f"底数 {figure(base)}"),
            100 * unseen(default_inv_freq(HEAD_DIM, base), TRAINED, distances).mean(axis=1),
            (distance_axis(distances),),
            Text("%", "%"),
        )
        for base in (1e4, 5e5, small_bases(TRAINED - 1)[2])
    ]
    says = Text(
        f"Share of hands at angles never seen in {TRAINED:,} trained tokens.",
        f"停在训练时（{TRAINED:,} 个词元）从没见过的角度上的指针占比。",
    )
    return plots.curves(lines, says=says, measured=Text("share of hands", "指针占比"), **page)


def _larger_is_longer() -> Verdict:
    found = base_bound(HEAD_DIM, CONTEXT, 2e3, 5e4, points=300)
    llama = first_negative(HEAD_DIM, 1e4, TRAINED)
    smallest, largest = (figure(each or np.nan) for each in (found.smallest_passing, found.largest_failing))
    return judged(
        found.monotone,
        Text(
            f"For {CONTEXT:,} tokens and a head of {HEAD_DIM}, the smallest base whose sum of cosines "
            "stays positive is "
            f"{smallest}, and yet {largest} fails again: the condition is not monotone, so halving finds "
            "wrong "
            f"answers. Llama 2 (base 10000, 4,096 tokens) turns negative at {figure(llama)}.",
            f"上下文 {CONTEXT:,}、头宽 {HEAD_DIM} 时，余弦和始终为正的最小底数是 {smallest}，"
            f"可是 {largest} 又不满足：条件不是单调的，二分查找会得出错误答案。"
            f"Llama 2（底数 10000，4,096 个词元）在距离 {figure(llama)} 处变负。",
        ),
        Number(Text("smallest base that passes", "满足条件的最小底数"), found.smallest_passing),
        Number(Text("largest base that fails", "不满足条件的最大底数"), found.largest_failing),
        Number(Text("Llama 2 turns negative at", "Llama 2 变负的距离"), llama, TOKENS),
    )


def _draw_bases(**page: Any) -> Picture:
    found = base_bound(HEAD_DIM, CONTEXT, 2e3, 9e3, points=300).first_negative
    reach = np.minimum(found.values, CONTEXT)
    name = Text("context", "上下文")
    axis = Axis(Text("base", "底数"), found.axes[0].values)
    line = Labelled("context", name, reach, (axis,), TOKENS)
    says = Text(
        f"Distance at which the sum of cosines turns negative, {CONTEXT:,} where it doesn't before.",
        f"余弦和变负的距离；到 {CONTEXT:,} 还没有变负的，记作 {CONTEXT:,}。",
    )
    return plots.curves([line], says=says, **page)


CLAIMS = (
    Claim(
        id="extrapolates-by-itself",
        statement=Text(
            "Sinusoids and RoPE are defined everywhere, so they work past the trained length.",
            "正弦编码和 RoPE 处处有定义，所以超过训练长度也能用。",
        ),
        source="Press et al. 2022, arXiv 2108.12409; Liu et al. 2023, arXiv 2310.05209",
        examine=_by_itself,
        draw=_draw_unseen,
    ),
    Claim(
        id="larger-base-longer-context",
        statement=Text(
            "Every base above a bound supports the context length.",
            "底数只要超过某个下界，就能支持这个上下文长度。",
        ),
        source="Men et al. 2024, arXiv 2405.14591; Su 2024, kexue.fm/archives/10122",
        examine=_larger_is_longer,
        draw=_draw_bases,
    ),
)
