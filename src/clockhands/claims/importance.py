"""The claim that an attention weight is an importance."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.claims.claim import Claim, Number, Verdict, figure, judged
from clockhands.language import Text
from clockhands.plots import Picture

KEYS, HEAD_DIM = 35, 8
NOTE = Text("random values, seed 3", "随机的值，随机种子 3")


def values() -> np.ndarray:
    """Values of a sentence's tokens in a head as wide as in the second article, ``(keys, head_dim)``."""
    return np.random.default_rng(3).normal(size=(KEYS, HEAD_DIM))


def example() -> np.ndarray:
    """Weights of one query, ``(keys,)``, one key well ahead."""
    logits = np.random.default_rng(4).normal(size=KEYS)
    logits[np.argmax(logits)] += 1.5
    return np.exp(logits) / np.exp(logits).sum()


def with_least(weights: np.ndarray, v: np.ndarray, key: int) -> np.ndarray:
    """Other weights with the same output, as little as possible on ``key``, by moving where nothing changes.

    Each step goes along the free keys' null space of ``[v, 1]``, which keeps output and sum, until a
    weight is 0; that key is then no longer free.
    """
    found, free = weights.copy(), np.ones(len(weights), dtype=bool)
    while free[key]:
        seen = np.concatenate([v[free], np.ones((free.sum(), 1))], axis=1)
        down = -(np.flatnonzero(free) == key).astype(float)
        down -= seen @ np.linalg.lstsq(seen, down, rcond=None)[0]
        falling = down < -1e-12
        if np.abs(down).max() < 1e-9 or not falling.any():
            break
        places = np.flatnonzero(free)[falling]
        steps = found[places] / -down[falling]
        found[free] += steps.min() * down
        found[places[steps.argmin()]] = 0.0
        free[places[steps.argmin()]] = False
    return found


def _importance() -> Verdict:
    v, before = values(), example()
    key = int(before.argmax())
    after = with_least(before, v, key)
    gap, moved = float(np.abs(after @ v - before @ v).max()), float(np.abs(after - before).sum() / 2)
    return judged(
        moved < 1e-6,
        Text(
            f"{KEYS} keys and values {HEAD_DIM} wide leave {KEYS - HEAD_DIM - 1} directions in which "
            "weights can move and "
            f"the output can't. Here the key with the most weight, {before[key]:.0%}, can have "
            f"{after[key]:.0%} and the "
            f"output is the same to {figure(gap)}; {moved:.0%} of the weight has moved.",
            f"{KEYS} 个键、{HEAD_DIM} 维的值，权重有 {KEYS - HEAD_DIM - 1} 个方向可以任意移动而输出不变。"
            f"这里权重最大的键有 {before[key]:.0%}，换成 {after[key]:.0%}，输出仍然相同（误差 "
            f"{figure(gap)}）；"
            f"一共挪走了 {moved:.0%} 的权重。",
        ),
        Number(Text("weight of the first key, before", "最大的权重，之前"), float(before[key])),
        Number(Text("its weight after", "它的权重，之后"), float(after[key])),
        Number(Text("difference of the outputs", "输出之差"), gap),
        Number(Text("weight moved", "挪走的权重"), moved),
    )


def _draw(**page: Any) -> Picture:
    before = example()
    axes = (Axis(Text("key", "键"), np.arange(KEYS)),)
    lines = [
        Labelled("before", Text("attention", "注意力"), before, axes, NOTHING, NOTE),
        Labelled(
            "after",
            Text("same output", "输出相同"),
            with_least(before, values(), int(before.argmax())),
            axes,
            NOTHING,
            NOTE,
        ),
    ]
    says = Text("Two rows of weights with one and the same output.", "两行不同的权重，输出完全相同。")
    return plots.curves(lines, says=says, measured=Text("weight", "权重"), **page)


CLAIMS = (
    Claim(
        id="weight-is-importance",
        statement=Text(
            "An attention weight says how important a token is.", "注意力权重说明一个词元有多重要。"
        ),
        source="Jain and Wallace 2019, arXiv 1902.10186; Brunner et al. 2020, arXiv 1908.04211",
        examine=_importance,
        draw=_draw,
    ),
)
