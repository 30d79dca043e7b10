"""Which base and which scaling a list of frequencies shows. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Schedule:
    """Base, kind and parameters, as far as the frequencies alone determine them."""

    rope_theta: float | None
    rope_type: str | None
    scaling: dict[str, Any] = field(default_factory=dict)


def schedule(inv_freq: np.ndarray) -> Schedule:
    """Frequencies ``(r,)`` in rad / token, fastest first, standing ones 0, of a width of ``2 r``.

    Geometric from 1 is ``default``, geometric from 1/f ``linear``, geometric with standing hands
    ``proportional``. Else the base is told by the fast hands, where nothing scales, and the factor by the
    slow.

    >>> schedule(np.array([1.0, 0.1, 0.01, 0.001])).rope_theta
    10000.0
    """
    count = len(inv_freq)
    moving = inv_freq > 0
    n = int(moving.sum())
    if n < 2 or not moving[:n].all():
        return Schedule(None, None)
    logs = np.log(inv_freq[:n])
    steps = np.diff(logs)
    first = float(inv_freq[0])
    theta = _round(float(np.exp(-steps.mean() * count)))
    if np.ptp(steps) < 2e-5:
        kind = "proportional" if n < count else "default"
        if abs(first - 1) < 1e-5:
            return Schedule(theta, kind)
        return Schedule(theta, "linear" if n == count else kind, {"factor": _round(1 / first)})
    return _blended(inv_freq, first)


def _blended(inv_freq: np.ndarray, first: float) -> Schedule:
    """Fast hands as they were, slow ones divided, those between by a share that tells YaRN from Llama 3.

    The share falls straight with the number of the hand (YaRN) or with its frequency (Llama 3).
    """
    count = len(inv_freq)
    if abs(first - 1) > 1e-5 or count < 4:
        return Schedule(None, None)
    logs = np.log(np.where(inv_freq > 0, inv_freq, 1.0))
    steps = np.diff(logs)
    number = np.arange(count)
    for step in (_level(steps), _level(steps[::-1])):
        theta = _round(float(np.exp(-step * count)))
        divided = np.exp(-number / count * np.log(theta)) / inv_freq
        factor = float(divided[-1])
        if factor <= 1 or (np.diff(divided) < -1e-4).any() or abs(divided[-2] / factor - 1) > 1e-5:
            continue
        kept = (1 / divided - 1 / factor) / (1 - 1 / factor)
        between = (kept > 1e-4) & (kept < 1 - 1e-4)
        scaling = {"factor": _round(factor)}
        for kind, along in (("yarn", number), ("llama3", np.exp(-number / count * np.log(theta)))):
            if between.sum() >= 3:
                line = np.polyfit(along[between], kept[between], 1)
                if np.abs(np.polyval(line, along[between]) - kept[between]).max() < 1e-3:
                    return Schedule(theta, kind, scaling)
        return Schedule(theta, None, scaling)
    return Schedule(None, None)


def _level(steps: np.ndarray) -> float:
    """The mean of the first of these that are alike: one alone is as exact as two frequencies are."""
    unlike = np.flatnonzero(np.abs(steps - steps[0]) > 2e-5)
    return float(steps[: unlike[0] if len(unlike) else None].mean())


def _round(value: float) -> float:
    """The shortest number that float32 angles don't tell from ``value``.

    >>> _round(9999.9987), _round(1234566.9)
    (10000.0, 1234567.0)
    """
    for digits in range(1, 9):
        short = float(f"{value:.{digits}g}")
        if abs(short - value) < 1e-6 * value:
            return short
    return value
