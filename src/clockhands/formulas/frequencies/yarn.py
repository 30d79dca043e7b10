"""YaRN: fast hands stay, slow hands slow down, along a ramp over the pairs; and a sharper softmax."""

from __future__ import annotations

import math

from clockhands.arrays import Array, Number, as_dtype, namespace_of
from clockhands.formulas.frequencies.geometric import at_home, count_up, default_inv_freq


def yarn_ramp(
    rotary_dim: int,
    rope_theta: float = 10000.0,
    *,
    original_max_position_embeddings: int,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
) -> tuple[float, float]:
    """The pairs between which hands go from unchanged to slowed, as real numbers.

    Pair i turns ``beta`` times in the trained length L where ``i = d ln(L / (2 pi beta)) / (2 ln theta)``.
    ``truncate`` moves both ends outwards to whole pairs, as the reference code does. The ends are kept within
    0 and ``rotary_dim - 1``: the code's bound, though there are half as many pairs.

    >>> yarn_ramp(128, original_max_position_embeddings=4096)
    (20, 46)
    """

    def pair_turning(turns: float) -> float:
        reach = original_max_position_embeddings / (turns * 2 * math.pi)
        return rotary_dim * math.log(reach) / (2 * math.log(rope_theta))

    low, high = pair_turning(beta_fast), pair_turning(beta_slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    return max(low, 0), min(high, rotary_dim - 1)


def yarn_inv_freq(
    rotary_dim: int,
    rope_theta: float = 10000.0,
    *,
    factor: Number,
    original_max_position_embeddings: int,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
) -> Array:
    """Frequencies blended along ``yarn_ramp``, ``(rotary_dim/2,)``, rad / token.

    The ramp is linear in the number of the pair, as in the authors' code; the paper's is linear in the turns
    of a hand, which is ``by_parts_inv_freq``. Peng et al. 2023 (arXiv 2309.00071), section 3.2.

    >>> yarn_inv_freq(4, factor=4.0, original_max_position_embeddings=64).tolist()
    [1.0, 0.0025]
    """
    low, high = yarn_ramp(
        rotary_dim, rope_theta, original_max_position_embeddings=original_max_position_embeddings,
        beta_fast=beta_fast, beta_slow=beta_slow, truncate=truncate,
    )  # fmt: skip
    speeds = default_inv_freq(rotary_dim, at_home(rope_theta, factor))
    xp = namespace_of(speeds)
    width = high - low if high != low else 0.001  # the code's guard: a step instead of a ramp
    slowed = xp.clip((count_up(rotary_dim // 2, speeds) - low) / width, 0.0, 1.0)
    return speeds * (1 - slowed) + speeds / as_dtype(factor, speeds.dtype) * slowed


def yarn_magnitude(factor: float, weight: float = 1.0) -> float:
    """``0.1 * weight * ln(factor) + 1``, 1 for a factor of at most 1. Peng et al. 2023, section 3.4.

    >>> round(yarn_magnitude(16.0), 6)
    1.277259
    """
    return 0.1 * weight * math.log(factor) + 1.0 if factor > 1 else 1.0


def yarn_attention_factor(
    factor: float, mscale: float | None = None, mscale_all_dim: float | None = None
) -> float:
    """What multiplies the turned queries and keys each, so logits grow by its square.

    ``yarn_magnitude(factor)``. DeepSeek gives two weights of the logarithm, ``mscale`` and
    ``mscale_all_dim``: then it is the ratio of both magnitudes, and one of them alone counts for nothing, as
    in transformers 5.24.

    >>> yarn_attention_factor(40.0, 1.0, 1.0)
    1.0
    """
    if mscale and mscale_all_dim:
        return yarn_magnitude(factor, mscale) / yarn_magnitude(factor, mscale_all_dim)
    return yarn_magnitude(factor)
