"""How fast training learns at each step."""

from __future__ import annotations

import math

WARM_UP = 50


def warm_up_then_cosine(step: int, steps: int) -> float:
    """Factor of the learning rate at ``step`` of ``steps``: up in a straight line, then half a cosine down.

    The rise takes 50 steps, or a tenth of a shorter run.

    >>> [round(warm_up_then_cosine(step, 1000), 3) for step in (0, 49, 524, 999)]
    [0.02, 1.0, 0.501, 0.0]
    """
    rise = max(1, min(WARM_UP, steps // 10))
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (step - rise + 1) / (steps - rise + 1)))


def constant(step: int, steps: int) -> float:
    """Always 1."""
    return 1.0
