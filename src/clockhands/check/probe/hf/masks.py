"""Windows, asked of the rule by which the library makes a mask: no sequence has to be as long as the
window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from clockhands.check.form import WindowKind

FAR = 5_000_017
"""A query so far out that any window ends behind it."""


def answers(rule: Callable[..., Any]) -> bool:
    """Whether a rule says anything of places far out: one that looks up a text's own tokens doesn't."""
    try:
        bool(rule(*(torch.tensor(each) for each in (0, 0, FAR, FAR))))
    except (IndexError, RuntimeError, TypeError):
        return False
    return True


def window(rule: Callable[..., Any]) -> tuple[int, WindowKind] | None:
    """Tokens that a query sees, itself counted, and whether that is a chunk's whole length; None where it
    sees all behind it."""

    def sees(i: int, j: int) -> bool:
        return bool(rule(*(torch.tensor(each) for each in (0, 0, i, j))))

    try:
        behind = _reach(lambda n: sees(FAR, FAR - n), FAR)
        if behind == FAR:
            return None
        again = _reach(lambda n: sees(FAR + 1, FAR + 1 - n), FAR + 1)
        if again != behind:
            # Chunks: the first token that doesn't see token 0 begins the second one.
            return 1 + _reach(lambda n: sees(n, 0), FAR), "chunked"
        ahead = _reach(lambda n: sees(FAR, FAR + n), FAR)
    except (IndexError, RuntimeError, TypeError):
        return None
    return behind + ahead + 1, "sliding"


def _reach(sees: Callable[[int], bool], most: int) -> int:
    """The largest n up to ``most`` that is seen, where everything nearer is."""
    if sees(most):
        return most
    low, high = 0, 1
    while high < most and sees(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if sees(middle) else (low, middle)
    return low
