"""How much each hand is slowed by a scaling, and YaRN's ramp as its code has it beside its paper's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import pair_axis
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import by_parts_inv_freq, default_inv_freq, yarn_inv_freq, yarn_ramp
from clockhands.formulas.frequencies.stated import number
from clockhands.language import Text


@dataclass(frozen=True)
class YarnRamp:
    """The two ramps of YaRN between hands that stay (0) and hands that are ``factor`` times slower (1).

    ``exact``  pairs at which a hand turns ``beta_fast`` and ``beta_slow`` times in training, real numbers
    ``used``   the same as used: whole pairs where the code truncates
    ``code``   ``(pairs,)``: linear in the number of the pair, as released
    ``paper``  ``(pairs,)``: linear in the number of turns, as printed
    ``worst``  largest relative difference between a hand's speed under the two
    """

    exact: tuple[float, float]
    used: tuple[float, float]
    code: Labelled
    paper: Labelled
    worst: float


def slowing(inv_freq: ArrayLike, scaled: ArrayLike, factor: float, name: Text = NOTHING) -> Labelled:
    """How far each hand is on the way to ``factor`` times slower, ``(pairs,)``: 0 unchanged, 1 slowed.

    ``inv_freq``, ``scaled``: ``(pairs,)``, rad / token, before and after; no hand of the first stands still.

    >>> slowing([1.0, 0.1], [1.0, 0.025], 4.0).values.tolist()
    [0.0, 1.0]
    """
    before, after = inputs.speeds(inv_freq), inputs.speeds(scaled)
    if before.shape != after.shape or not before.all() or factor == 1:
        raise ClockhandsError(
            f"{len(before)} hands can't be compared with {len(after)} under a factor of {factor}: "
            "give as many hands, all moving, and a factor other than 1",
            f"无法以缩放因子 {factor} 比较 {len(before)} 根与 {len(after)} 根指针："
            "请给同样多的、都在转的指针，以及不为 1 的缩放因子",
        )
    share = (1 - after / before) / (1 - 1 / factor)
    share = np.where(np.abs(share) < 1e-15, 0.0, share)
    name = name if name.en else Text("share of the slowing", "减速的程度")
    return Labelled("slowing", name, share, (pair_axis(len(before)),))


def compare_yarn_ramps(
    rotary_dim: int,
    rope_theta: float,
    trained_length: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
) -> YarnRamp:
    """YaRN's ramp (Peng et al. 2023, arXiv 2309.00071) as released and as printed in section 3.2.

    >>> found = compare_yarn_ramps(128, 1e4, 4096, 16.0)
    >>> found.used, [round(end, 4) for end in found.exact]
    ((20, 46), [20.9445, 45.0269])
    """
    rotary_dim = inputs.count(rotary_dim, Text("rotary_dim", "旋转维度 rotary_dim "), least=2)
    trained_length = inputs.count(trained_length, Text("the trained length", "训练长度"))
    rope_theta = number(rope_theta, "rope_theta", above=1.0)
    factor, beta_slow = number(factor, "factor"), number(beta_slow, "beta_slow")
    beta_fast = number(beta_fast, "beta_fast", above=beta_slow)
    plain = default_inv_freq(rotary_dim, rope_theta)
    code = yarn_inv_freq(
        rotary_dim, rope_theta, factor=factor, original_max_position_embeddings=trained_length,
        beta_fast=beta_fast, beta_slow=beta_slow, truncate=truncate,
    )  # fmt: skip
    paper = by_parts_inv_freq(
        rotary_dim, rope_theta, factor=factor, original_max_position_embeddings=trained_length,
        slow=beta_slow, fast=beta_fast,
    )  # fmt: skip

    def ends(truncated: bool) -> tuple[float, float]:
        return yarn_ramp(
            rotary_dim, rope_theta, original_max_position_embeddings=trained_length,
            beta_fast=beta_fast, beta_slow=beta_slow, truncate=truncated,
        )  # fmt: skip

    return YarnRamp(
        ends(False),
        ends(truncate),
        slowing(plain, code, factor, Text("as released", "代码中的")),
        slowing(plain, paper, factor, Text("as printed", "论文中的")),
        float(np.abs(code / paper - 1).max()),
    )
