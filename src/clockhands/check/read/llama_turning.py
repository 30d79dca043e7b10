"""How llama.cpp turns q and k: its parameters, and the frequencies and amplitude that they come to.

In its words: ``theta`` of hand i is ``base ** (-2i/d)``, divided by a list of divisors where there is one (as
for llama3, LongRoPE, Gemma 4), times ``freq_scale``, which is 1/factor; YaRN blends both by ``ext_factor``.
Sources: ``ggml_rope_ext``, ``rope_yarn`` and the constructor of ``llama_context`` (llama.cpp after its pull
request 17945, which ended the doubled attention factor).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.formulas.frequencies import by_parts_inv_freq, default_inv_freq, yarn_inv_freq

Scaling = Literal["none", "linear", "yarn", "longrope"]
WIDEST = 65536
FROZEN = 1e20  # a divisor above it stops its hand: 1e30 in files of Gemma 4


@dataclass(frozen=True, kw_only=True)
class Turning:
    """Parameters of one kind of layers.

    rotary_dim  dimensions that turn
    theta       base
    divisors    of the hands, one each; None: all 1
    scaling     the kind
    factor      how much slower the hands get: 1 / ``freq_scale``
    original    trained length
    ext_factor  share of YaRN's blend; None: 1 for YaRN, else 0
    attention   factor on cos and sin beside YaRN's own
    mscale, log_multiplier  of YaRN's magnitude: cos and sin get that of the first over that of the second,
                which transformers calls ``mscale_all_dim``; 0: none
    """

    rotary_dim: int
    theta: float
    divisors: tuple[float, ...] | None = None
    scaling: Scaling = "linear"
    factor: float = 1.0
    original: int | None = None
    ext_factor: float | None = None
    attention: float = 1.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    mscale: float = 1.0
    log_multiplier: float = 0.0
    short_divisors: tuple[float, ...] | None = None
    long_divisors: tuple[float, ...] | None = None
    extension: float = 1.0
    """LongRoPE's: the promised by the trained length; its frequencies don't depend on it."""

    @property
    def blend(self) -> float:
        """Of YaRN, as it is used."""
        if self.ext_factor is not None:
            return self.ext_factor
        return 1.0 if self.scaling == "yarn" else 0.0

    @property
    def slowed(self) -> float:
        """The factor as it is used: kind ``none`` has none, whatever is said."""
        return 1.0 if self.scaling == "none" else self.factor

    def at(self, length: int | None) -> Turning:
        """With LongRoPE's divisors for a context of ``length`` tokens: long ones past the trained length."""
        if self.short_divisors is None or self.long_divisors is None:
            return self
        long = length is not None and self.original is not None and length > self.original
        return replace(self, divisors=self.long_divisors if long else self.short_divisors)


def inv_freq_of(turning: Turning) -> tuple[float, ...] | None:
    """Rad / token by hand; None where the parameters determine none that are finite."""
    try:
        with np.errstate(all="ignore"):
            speeds = _speeds(turning)
    except (ValueError, ArithmeticError):  # what extreme values come to in the logarithms of YaRN
        return None
    return tuple(float(each) for each in speeds) if speeds is not None and np.isfinite(speeds).all() else None


def _speeds(turning: Turning) -> np.ndarray | None:
    hands = turning.rotary_dim // 2
    if not 0 < turning.rotary_dim <= WIDEST or turning.rotary_dim % 2 or not turning.theta > 0:
        return None
    plain = np.asarray(default_inv_freq(turning.rotary_dim, turning.theta))
    if turning.divisors is not None:
        divisors = np.asarray(turning.divisors, dtype=np.float64)
        if divisors.shape != (hands,) or not (divisors > 0).all():
            return None
        plain = np.where(divisors > FROZEN, 0.0, plain / divisors)
    speeds = plain / turning.slowed
    if turning.blend and turning.slowed != 1:
        shares = _shares(turning)
        if shares is None:
            return None
        speeds = plain * ((1 - turning.blend) / turning.slowed + turning.blend * shares)
    return speeds


def _shares(turning: Turning) -> np.ndarray | None:
    """What YaRN leaves of each hand's speed: from 1 to 1/factor."""
    if turning.original is None or turning.theta <= 1 or min(turning.beta_fast, turning.beta_slow) <= 0:
        return None
    blended = yarn_inv_freq(
        turning.rotary_dim, turning.theta, factor=turning.slowed,
        original_max_position_embeddings=turning.original,
        beta_fast=turning.beta_fast, beta_slow=turning.beta_slow,
    )  # fmt: skip
    return np.asarray(blended) / np.asarray(default_inv_freq(turning.rotary_dim, turning.theta))


def magnitude(factor: float, multiplier: float = 1.0) -> float:
    """YaRN's ``0.1 m ln f + 1``; 1 for a factor of at most 1."""
    return 0.1 * multiplier * math.log(factor) + 1.0 if factor > 1 else 1.0


def amplitude_of(turning: Turning) -> float:
    """On cos and sin both. Under YaRN it is YaRN's own times what the file adds, whatever option is given."""
    if not turning.blend:
        return turning.attention
    return own_amplitude(turning) * turning.attention


def own_amplitude(turning: Turning) -> float:
    """YaRN's own factor on cos and sin."""
    below = magnitude(turning.slowed, turning.log_multiplier)
    return magnitude(turning.slowed, turning.mscale) / below if below else math.inf


def sharpness(turning: Turning) -> float:
    """What latent attention multiplies q and k by, each, beside the scale of the head.

    llama.cpp undoes what its rotation will multiply by, whether it will or not: without a blend that stays.
    """
    undone = 1.0 if turning.blend else magnitude(turning.slowed)
    return amplitude_of(turning) * undone * magnitude(turning.slowed, turning.log_multiplier)


def with_turning(form: LayerForm, turning: Turning) -> LayerForm:
    """The form of layers that turn so."""
    kind, scaling = _named(turning)
    amplitude = amplitude_of(turning)
    return replace(
        form,
        rotary_dim=turning.rotary_dim,
        rope_theta=turning.theta,
        rope_type=kind,
        scaling=scaling,
        inv_freq=inv_freq_of(turning),
        attention_factor=amplitude if math.isfinite(amplitude) else None,
    )


def _named(turning: Turning) -> tuple[str, dict[str, Any]]:
    """Kind and parameters by the names of transformers, so that a file equals its configuration."""
    length = {} if turning.original is None else {"original_max_position_embeddings": float(turning.original)}
    if turning.scaling == "longrope":
        lists = {"short_factor": turning.short_divisors, "long_factor": turning.long_divisors}
        given = {name: each for name, each in lists.items() if each is not None}
        return "longrope", {"factor": turning.extension, **length, **given}
    if turning.blend and turning.slowed != 1:
        betas = {"beta_fast": turning.beta_fast, "beta_slow": turning.beta_slow, "truncate": True}
        extra = {} if turning.blend == 1 else {"ext_factor": turning.blend}
        if turning.log_multiplier:
            extra |= {"mscale": turning.mscale, "mscale_all_dim": turning.log_multiplier}
        elif turning.mscale == 0:
            extra["attention_factor"] = 1.0
        return "yarn", {"factor": turning.factor, **length, **betas, **extra}
    if turning.divisors is not None and turning.slowed == 1:
        return _of_divisors(turning)
    return ("linear", {"factor": turning.factor}) if turning.slowed != 1 else ("default", {})


LLAMA3_LENGTH, LLAMA3_LOW, LLAMA3_HIGH = 8192, 1.0, 4.0
"""What the conversion of Llama 3.1 and 3.2 takes; of its parameters a file keeps the divisors only."""


def _of_divisors(turning: Turning) -> tuple[str, dict[str, Any]]:
    divisors = np.asarray(turning.divisors)
    moving = divisors < FROZEN
    if (divisors[moving] == 1).all():
        if moving.all():
            return "default", {}
        return "proportional", {"factor": 1.0, "partial_rotary_factor": float(moving.mean())}
    factor = float(divisors.max())
    length = LLAMA3_LENGTH
    try:
        with np.errstate(all="ignore"):
            llama3 = by_parts_inv_freq(
                turning.rotary_dim, turning.theta, factor=factor, original_max_position_embeddings=length,
                slow=LLAMA3_LOW, fast=LLAMA3_HIGH,
            )  # fmt: skip
            plain = np.asarray(default_inv_freq(turning.rotary_dim, turning.theta))
            alike = np.allclose(plain / np.asarray(llama3), divisors, 1e-4)
    except (ValueError, ArithmeticError):  # divisors that are no such schedule, of any shape
        alike = False
    if not alike:
        return "divisors", {}
    return "llama3", {
        "factor": factor,
        "original_max_position_embeddings": float(length),
        "low_freq_factor": LLAMA3_LOW,
        "high_freq_factor": LLAMA3_HIGH,
    }
