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
    ``proportional``. Else the base is told by the fast hands, where nothing scales, and the factor by the slow.

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
    if abs(first - 1) > 1e-5:
        return Schedule(None, None)
    theta = _round(float(np.exp(-steps[0] * count)))
    left = np.exp(logs + np.arange(n) / count * np.log(theta))
    return Schedule(theta, None, {"factor": _round(1 / float(left[-1]))})


def _round(value: float) -> float:
    """To six digits: what float32 angles are good for.

    >>> _round(9999.9987)
    10000.0
    """
    return float(f"{value:.6g}")
