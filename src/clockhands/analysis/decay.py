"""Does RoPE's score fall with distance? Its mean over random vectors, and the bound behind the claim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import LOGITS, distance_axis
from clockhands.analysis.blocks import parts
from clockhands.analysis.exact_angle import angles, turns_per_token
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.memory import require_memory

_LOGITS = 2**23
"""Logits held at a time: 64 MB."""


@dataclass(frozen=True)
class RandomScores:
    """Logits of random queries and keys at each distance, ``(n,)``: their mean and standard deviation."""

    mean: Labelled
    spread: Labelled


def random_scores(
    inv_freq: ArrayLike, distances: ArrayLike, samples: int = 1000, seed: int = 0
) -> RandomScores:
    """Logits ``<R(m) q, R(n) k>``, not scaled, of ``samples`` pairs q, k of independent N(0, 1) entries.

    ``inv_freq``: ``(pairs,)``, rad / token; ``distances``: ``(n,)``, tokens. The true mean is 0 and the true
    spread sqrt(2 * pairs) at every distance: for random content there is no decay (Barbero et al. 2024,
    arXiv 2410.06205).

    >>> seen = random_scores([1.0, 0.1], [0, 100], samples=4000)
    >>> bool(abs(seen.mean.values).max() < 0.15)
    True
    """
    speed, distance = inputs.speeds(inv_freq), inputs.places(distances)
    samples = inputs.count(samples, Text("the number of samples", "样本数"), least=2)
    require_memory(Text("the sampled vectors", "采样的向量"), (samples, 6 * len(speed)))
    q, k = np.random.default_rng(seed).normal(size=(2, samples, len(speed), 2))
    together = (q * k).sum(axis=-1)  # <R(a) q, k> = cos a (q . k) + sin a (q x k), hand by hand
    across = q[..., 1] * k[..., 0] - q[..., 0] * k[..., 1]
    turning = turns_per_token(speed)
    mean, spread = np.empty(len(distance)), np.empty(len(distance))
    for part in parts(len(distance), max(samples, len(speed)), _LOGITS):
        angle = angles(turning, distance[part])
        logits = together @ np.cos(angle).T - across @ np.sin(angle).T
        mean[part], spread[part] = logits.mean(axis=0), logits.std(axis=0)
    axes = (distance_axis(np.asarray(distances)),)
    note = Text(f"{samples} random pairs, seed {seed}", f"{samples} 对随机向量，种子 {seed}")
    return RandomScores(
        Labelled("mean", Text("mean logit", "平均得分"), mean, axes, LOGITS, note),
        Labelled("spread", Text("spread of the logit", "得分的标准差"), spread, axes, LOGITS, note),
    )


def decay_bound(inv_freq: ArrayLike, distances: ArrayLike) -> Labelled:
    """The factor of RoPE's upper bound that depends on the distance, ``(n,)`` float64.

    ``mean_j |S_j|`` with ``S_j = sum_{i < j} e^{i k w_i}``, j = 1 .. pairs (Su et al. 2021, arXiv 2104.09864,
    section 3.4.3). An upper bound that falls, and not even steadily, is no law about the score itself.

    >>> decay_bound([1.0, 1.0], [0]).values.tolist()
    [1.5]
    """
    speed, distance = inputs.speeds(inv_freq), inputs.places(distances)
    turning, values = turns_per_token(speed), np.empty(len(distance))
    for part in parts(len(distance), len(speed)):
        sums = np.exp(1j * angles(turning, distance[part])).cumsum(axis=1)
        values[part] = np.abs(sums).mean(axis=1)
    name = Text("upper bound of the logit", "得分的上界")
    return Labelled("decay_bound", name, values, (distance_axis(np.asarray(distances)),))
