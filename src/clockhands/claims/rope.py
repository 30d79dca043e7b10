"""Claims about rotary scores: that they are relative, and that they decay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import LOGITS, distance_axis, position_axis
from clockhands.analysis.decay import decay_bound, random_scores
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.precision import Precision, rounded
from clockhands.analysis.relative import rotated_scores
from clockhands.analysis.shift_residual import shift_residual
from clockhands.claims.claim import Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq
from clockhands.formulas.rotation import angles, rotate
from clockhands.language import Text
from clockhands.plots import Picture

HEAD_DIM = 64
SHIFTS = (1, 17, 1000)
NOTE = Text("random q and k, seed 0", "q 和 k 随机，随机种子 0")


def turned(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """One vector ``(head_dim,)`` turned to each position, ``(n, head_dim)``."""
    angle = angles(positions, default_inv_freq(len(x)))
    return rotate(np.broadcast_to(x, (len(positions), len(x))), np.cos(angle), np.sin(angle))


def _pair(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(2, HEAD_DIM))


def _relative() -> Verdict:
    q, k = _pair()
    worst = shift_residual(
        lambda p: turned(q, p) @ turned(k, p).T, np.arange(64), np.array(SHIFTS), LOGITS
    ).values.max()
    return judged(
        worst < 1e-9,
        Text(
            f"For one q and one k, moving all positions by 1, 17 or 1000 changes no score by more than "
            f"{figure(worst)} in float64. What q and k hold is another matter: it may depend on anything.",
            "对固定的 q 和 k，把所有位置一起移动 1、17 或 1000，得分的变化不超过 "
            f"{figure(worst)}（float64）。"
            "至于 q 和 k 里是什么，那是另一回事，可以取决于任何东西。",
        ),
        Number(Text("largest change", "最大变化"), float(worst), LOGITS),
    )


def _draw_relative(**page: Any) -> Picture:
    q, k = _pair()
    scores = replace(rotated_scores(default_inv_freq(HEAD_DIM), q, k, 64), note=NOTE)
    return plots.similarity(scores, **page)


def _relative_in_16_bits() -> Verdict:
    worst = {name: float(_drift(name).max()) for name in _COMPARED}
    usual = float(_drift("fp32", absolute=True).max())
    share = worst["bf16"] / usual
    return judged(
        share < 1e-5,
        Text(
            "With angles in float64 and the turned q and k rounded, the score of one pair at distance 5 "
            "varies by "
            f"{figure(worst['bf16'], 3)} over 4,096 positions in bf16, {share:.1%} of its size; in fp32 by "
            f"{figure(worst['fp32'], 3)}.",
            "角度用 float64、转好的 q 和 k 再舍入：距离为 5 的同一对向量，在 4,096 个位置上，得分在 bf16 "
            "下相差 "
            f"{figure(worst['bf16'], 3)}，是得分大小的 {share:.1%}；在 fp32 下相差 "
            f"{figure(worst['fp32'], 3)}。",
        ),
        Number(Text("drift in bf16", "bf16 下的漂移"), worst["bf16"], LOGITS),
        Number(Text("drift in fp32", "fp32 下的漂移"), worst["fp32"], LOGITS),
        Number(Text("size of the score", "得分的大小"), usual, LOGITS),
    )


_COMPARED: tuple[Precision, ...] = ("fp32", "bf16")


def _drift(precision: Precision, absolute: bool = False) -> np.ndarray:
    """The score of one pair five tokens apart, less its first value, at 4096 places."""
    q, k = _pair()
    places = np.arange(4096)
    keep = [rounded(each, precision) for each in (turned(q, places + 5), turned(k, places))]
    score = (keep[0] * keep[1]).sum(axis=1)
    return np.abs(score) if absolute else np.abs(score - score[0])


def _draw_drift(**page: Any) -> Picture:
    places = position_axis(np.arange(0, 4096, 16))
    lines = [
        Labelled("drift", Text(name, name), _drift(name)[::16], (places,), LOGITS, NOTE)
        for name in ("bf16", "fp32")
    ]
    says = Text(
        "Change of one score while query and key move on together.",
        "查询与键一起向后移动时，同一个得分的变化。",
    )
    return plots.curves(lines, says=says, measured=Text("change of the score", "得分的变化"), **page)


def by_distance(q: np.ndarray, k: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Scores ``<R(n) q, k>`` at each distance n."""
    return turned(q, distances) @ k


def _decays() -> Verdict:
    speeds, far = default_inv_freq(128), np.array([0, 1, 10, 100, 500])
    mean = np.abs(random_scores(speeds, far, samples=2000).mean.values).max()
    spread = random_scores(speeds, far, samples=2000).spread.values.mean()
    rising = float((np.diff(decay_bound(speeds, np.arange(51)).values) > 0).mean())
    q, reach = _pair()[0], np.arange(2001)
    peaks = [int(by_distance(q, turned(q, np.array([at]))[0], reach).argmax()) for at in (1, 10, 100, 1000)]
    return judged(
        rising == 0 and not any(peaks),
        Text(
            f"The proof is an upper bound, and even that rises in {rising:.0%} of its first 50 steps. For "
            "random q and "
            f"k the mean score is 0 at every distance (largest of five: {figure(mean, 2)}, spread "
            f"{figure(spread, 3)}), and for any distance there is a key whose score is highest there: "
            "found at "
            f"{', '.join(map(str, peaks))}.",
            f"论文证明的是上界，而且上界本身在前 50 步里也有 {rising:.0%} 是上升的。"
            f"对随机的 q 和 k，任何距离上的平均得分都是 0（五个距离中最大 {figure(mean, 2)}，"
            f"标准差 {figure(spread, 3)}）；对任何距离，都有一个键的得分恰好在那里最高："
            f"实测 {'、'.join(map(str, peaks))}。",
        ),
        Number(Text("rising steps of the bound", "上界中上升步子的占比"), rising),
        Number(Text("largest mean score", "最大平均得分"), float(mean), LOGITS),
        Number(Text("spread of the score", "得分的标准差"), float(spread), LOGITS),
        *(
            Number(
                Text(f"peak of a key made for {at}", f"为距离 {at} 造的键的峰值"),
                found,
                Text("tokens", "词元"),
            )
            for at, found in zip((1, 10, 100, 1000), peaks, strict=True)
        ),
    )


def _draw_decay(**page: Any) -> Picture:
    q, reach = _pair()[0], np.arange(201)
    axes = (distance_axis(reach),)
    mean = random_scores(default_inv_freq(HEAD_DIM), reach, samples=2000).mean.values
    lines = [Labelled("mean", Text("mean of random pairs", "随机向量的平均"), mean, axes, LOGITS, NOTE)]
    for at in (10, 100):
        name = Text(f"a key made for {at}", f"为距离 {at} 造的键")
        lines.append(
            Labelled("score", name, by_distance(q, turned(q, np.array([at]))[0], reach), axes, LOGITS, NOTE)
        )
    return plots.curves(lines, measured=Text("score", "得分"), **page)


CLAIMS = (
    Claim(
        id="rope-relative",
        statement=Text(
            "RoPE's score of one q and one k depends on their distance only.",
            "对固定的 q 和 k，RoPE 的得分只取决于两者的距离。",
        ),
        source="Su et al. 2021, arXiv 2104.09864, section 3.2",
        examine=_relative,
        draw=_draw_relative,
    ),
    Claim(
        id="rope-relative-bf16",
        statement=Text("RoPE stays relative in bf16.", "在 bf16 下，RoPE 仍然只看相对距离。"),
        source="Wang et al. 2024, arXiv 2411.13476",
        examine=_relative_in_16_bits,
        draw=_draw_drift,
    ),
    Claim(
        id="rope-decays",
        statement=Text("RoPE's scores decay with distance.", "RoPE 的得分随距离衰减。"),
        source="Su et al. 2021, arXiv 2104.09864, section 3.4.3; Barbero et al. 2024, arXiv 2410.06205",
        examine=_decays,
        draw=_draw_decay,
    ),
)
