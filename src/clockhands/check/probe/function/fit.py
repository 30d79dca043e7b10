"""Which base and scaling give these frequencies: numbers in, parameters by their usual names out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clockhands.check.probe.function.calling import Floats
from clockhands.formulas.frequencies import (
    by_parts_inv_freq,
    default_inv_freq,
    sinusoid_inv_freq,
    yarn_inv_freq,
)

TOLERANCE = 2e-5
"""Relative. float32 keeps powers to some 1e-6; 16 bits are off by 2e-4 and more."""
LENGTHS = tuple(sorted({k * 2**n for k in (1, 3) for n in range(7, 18)} | {1000, 10000, 20000, 40960}))
"""Trained lengths that are tried, tokens."""
ROUND = (1, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Fit:
    """What gives the frequencies within ``error`` (relative, of the worst hand)."""

    rope_type: str
    rope_theta: float
    scaling: Mapping[str, Any] = field(default_factory=dict)
    expected: Floats = field(default_factory=lambda: np.zeros(0))
    error: float = 0.0


def fit(speeds: Floats, head_dim: int, tolerance: float = TOLERANCE) -> Fit | None:
    """The simplest scaling that gives ``speeds`` (positive, rad / token, as the model orders them), or None.

    What frequencies alone cannot tell stays open: NTK scaling is another base, and of the numbers of Llama
    3's scaling only those that matter together are known (``low_freq_factor`` is taken as 1).

    >>> found = fit(default_inv_freq(64, 5e5) / 4, 64)
    >>> found.rope_type, found.rope_theta, dict(found.scaling)
    ('linear', 500000.0, {'factor': 4.0})
    """
    if len(speeds) < 2 or speeds[0] <= 0:
        return _single(speeds)
    moving = int((speeds > 0).sum())
    if moving < len(speeds) and (speeds[moving:] == 0).all():
        return _proportional(speeds, moving, head_dim, tolerance)
    if (speeds <= 0).any():
        return None
    return next(
        (each for each in _candidates(speeds, tolerance) if each is not None and each.error <= tolerance),
        None,
    )


def _single(speeds: Floats) -> Fit | None:
    """One hand has no base: any gives 1 rad / token."""
    if len(speeds) != 1 or speeds[0] <= 0:
        return None
    factor = snapped(1 / float(speeds[0]))
    if factor == 1.0:
        return Fit("default", 10000.0, {}, speeds)
    return Fit("linear", 10000.0, {"factor": factor}, speeds)


def _candidates(speeds: Floats, tolerance: float) -> Iterator[Fit | None]:
    width = 2 * len(speeds)
    ratio = (speeds[-1] / speeds[0]) ** (1 / (len(speeds) - 1))
    theta = snapped(ratio ** -(width / 2))
    yield _judged("default", theta, {}, default_inv_freq(width, theta), speeds)
    factor = snapped(1 / float(speeds[0]))
    yield _judged("linear", theta, {"factor": factor}, default_inv_freq(width, theta) / factor, speeds)
    if abs(float(speeds[0]) - 1) > tolerance or len(speeds) < 3:
        return
    theta = snapped(float(speeds[1]) ** -(width / 2))
    plain = default_inv_freq(width, theta)
    factor = snapped(float(plain[-1] / speeds[-1]), 1e-3)
    if factor <= 1 + tolerance:
        return
    kept = (speeds / plain - 1 / factor) / (1 - 1 / factor)
    for length in LENGTHS:
        sizes = {"factor": factor, "original_max_position_embeddings": length}
        for truncate in (True, False):
            found = yarn_inv_freq(width, theta, truncate=truncate, **sizes)
            scaling = sizes if truncate else {**sizes, "truncate": False}
            yield _judged("yarn", theta, scaling, found, speeds)
        found = by_parts_inv_freq(width, theta, slow=1.0, fast=4.0, **sizes)
        scaling = {**sizes, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
        yield _judged("llama3", theta, scaling, found, speeds)
    yield _llama3_solved(speeds, plain, kept, theta, factor)
    yield _yarn_solved(speeds, kept, theta, factor)


def _llama3_solved(speeds: Floats, plain: Floats, kept: Floats, theta: float, factor: float) -> Fit | None:
    """Blended hands lie on a straight line over their turns, and two of them give it."""
    inside = np.flatnonzero((kept > 1e-3) & (kept < 1 - 1e-3))
    if len(inside) < 2:
        return None
    slope, start = np.polyfit(plain[inside], kept[inside], 1)
    if slope <= 0 or start >= 0:
        return None
    fast = snapped(float(1 - 1 / start), 1e-3)
    length = round(float(slope) * 2 * math.pi * (fast - 1))
    sizes = {"factor": factor, "original_max_position_embeddings": max(length, 1)}
    found = by_parts_inv_freq(2 * len(speeds), theta, slow=1.0, fast=fast, **sizes)
    return _judged(
        "llama3", theta, {**sizes, "low_freq_factor": 1.0, "high_freq_factor": fast}, found, speeds
    )


def _yarn_solved(speeds: Floats, kept: Floats, theta: float, factor: float) -> Fit | None:
    """Blended hands lie on a straight line over their numbers; its ends are what is known of the ramp."""
    inside = np.flatnonzero((kept > 1e-3) & (kept < 1 - 1e-3))
    if len(inside) < 2:
        return None
    slope, start = np.polyfit(inside, kept[inside], 1)
    low, high = float((1 - start) / slope), float(-start / slope)
    blend = np.clip((np.arange(len(speeds)) - low) / (high - low), 0.0, 1.0)
    plain = default_inv_freq(2 * len(speeds), theta)
    found = plain * (1 - blend) + plain / factor * blend
    return _judged("yarn", theta, {"factor": factor, "ramp": [round(low, 3), round(high, 3)]}, found, speeds)


def _proportional(speeds: Floats, moving: int, head_dim: int, tolerance: float) -> Fit | None:
    """Hands of a whole head of which only the first ``moving`` move, all divided by one factor."""
    if moving < 2:
        return None
    ratio = (speeds[moving - 1] / speeds[0]) ** (1 / (moving - 1))
    theta, factor = snapped(float(ratio ** -len(speeds))), snapped(1 / float(speeds[0]))
    found = np.where(np.arange(len(speeds)) < moving, default_inv_freq(2 * len(speeds), theta) / factor, 0.0)
    scaling: dict[str, Any] = {"partial_rotary_factor": moving / len(speeds)}
    if factor != 1.0:
        scaling["factor"] = factor
    result = _judged("proportional", theta, scaling, found, speeds)
    return result if result.error <= tolerance else None


def _judged(
    rope_type: str, theta: float, scaling: Mapping[str, Any], expected: Floats, speeds: Floats
) -> Fit:
    expected = np.asarray(expected)
    off = np.abs(speeds - expected) / np.where(expected > 0, expected, 1.0)
    error = float(off.max()) if off.size and math.isfinite(float(off.max())) else math.inf
    return Fit(rope_type, theta, scaling, expected, error)


def fit_sinusoid(speeds: Floats, width: int, tolerance: float = 1e-3) -> Fit | None:
    """Base and spacing of a sinusoidal table's hands: ``rope_type`` says how they are spaced.

    >>> fit_sinusoid(sinusoid_inv_freq(8, exponent="i/(d/2-1)"), 8).rope_type
    'i/(d/2-1)'
    """
    count = len(speeds)
    if count < 2 or (speeds <= 0).any():
        return None
    for exponent, steps in (("2i/d", width / 2), ("i/(d/2-1)", count - 1)):
        ratio = float(speeds[-1] / speeds[0]) ** (1 / (count - 1))
        theta = snapped(ratio**-steps, 1e-3)
        found = np.asarray(sinusoid_inv_freq(width, theta, exponent))[:count]  # type: ignore[arg-type]
        result = _judged(exponent, theta, {}, found, speeds)
        if result.error <= tolerance and is_round(theta):
            return result
    return None


def snapped(value: float, within: float = 2e-4) -> float:
    """The number of few digits that ``value`` nearly is, else itself.

    >>> snapped(499999.2), snapped(8.0000004), snapped(20221.26)
    (500000.0, 8.0, 20221.26)
    """
    if not math.isfinite(value) or value <= 0:
        return value
    for digits in (1, 2, 3, 4):
        near = float(f"{value:.{digits - 1}e}")
        allowed = within if digits < 3 else within / 10
        if abs(near / value - 1) <= allowed:
            return near
    return value


def is_round(theta: float) -> bool:
    """Whether a base is one that people choose: one or two digits and zeros."""
    return theta == float(f"{theta:.1e}")
