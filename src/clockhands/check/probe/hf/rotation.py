"""What turns: pairs, widths and frequencies read from queries of constant content. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clockhands.check.form import Layout, RotaryDims


@dataclass(frozen=True)
class Turning:
    """How the dimensions of a head turn between two positions.

    width     of the head
    pairs     ``(r, 2)`` dimensions of each hand, the one that the rotation's minus sign stands with first
    angles    ``(r, p)`` rad from the first position, signed, within a turn
    growth    ``(r, p)`` by how much longer a hand is than at the first position
    """

    width: int
    pairs: np.ndarray
    angles: np.ndarray
    growth: np.ndarray


def turning(heads: np.ndarray) -> Turning | None:
    """Heads of constant content ``(contents, positions, width)`` -> what turns in them; None if nothing does.

    ``q'(p) = a cos q - a sin q*`` for one other dimension ``q*``: that dimension is the partner for which
    the two-term fit over all contents leaves nothing.
    """
    first = heads[:, 0]  # (n, w)
    size = np.sqrt(np.mean(first**2, axis=0)) + 1e-300
    change = np.abs(heads - first[:, None]).max(axis=(0, 1))
    moving = np.flatnonzero(change > 1e-12 * size.max())
    if len(moving) < 2:
        return None
    # The position at which most has changed decides who is whose partner.
    partner: dict[int, int] = {}
    for d in moving:
        p = int(np.argmax(np.abs(heads[:, :, d] - first[:, None, d]).sum(0)))
        moved, own = heads[:, p, d], first[:, d]
        # Some code turns in float32: what has changed must stand out from its last bit.
        changed = float(np.abs(moved - own).max())
        nothing = 1e-5 * changed + 1e-13
        if 1e-6 * size[d] < 0.05 * changed:
            nothing = max(nothing, 1e-6 * size[d])
        rest = moved - (moved @ own) / (own @ own) * own
        if np.abs(rest).max() <= nothing:
            continue  # longer or shorter, but not turned: a scale that grows with position
        others = moving[moving != d]
        beside = first[:, others] - np.outer(own, own @ first[:, others] / (own @ own))
        left = np.abs(rest[:, None] - beside * (rest @ beside / (beside**2).sum(0))).max(0)
        best = int(np.argmin(left))
        if left[best] <= nothing:
            partner[int(d)] = int(others[best])
    pairs = [(d, e) for d, e in partner.items() if d < e and partner.get(e) == d]
    if not pairs:
        return None
    count = heads.shape[1]
    angles, growth = np.zeros((len(pairs), count)), np.ones((len(pairs), count))
    for n, (d, e) in enumerate(pairs):
        for p in range(1, count):
            same, other = _fit(heads[:, p, d], first[:, d], first[:, e])
            angles[n, p], growth[n, p] = np.arctan2(-other, same), np.hypot(same, other)
    return Turning(heads.shape[2], np.asarray(pairs), angles, growth)


def _fit(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """``s`` and ``t`` of the best ``y = s a + t b``."""
    aa, bb, ab = float(a @ a), float(b @ b), float(a @ b)
    ya, yb, over = float(y @ a), float(y @ b), aa * bb - ab * ab
    return (ya * bb - yb * ab) / over, (yb * aa - ya * ab) / over


def speeds(angles: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Angles ``(r, p)`` at increasing positions, the first of which is where they count from -> rad / token.

    Each position says the turn more precisely than the one before it, which says how many whole turns it
    made.
    """
    steps = positions - positions[0]
    speed = angles[:, 1] / steps[1]
    for n in range(2, len(steps)):
        expected = speed * steps[n]
        speed = (angles[:, n] + 2 * np.pi * np.round((expected - angles[:, n]) / (2 * np.pi))) / steps[n]
    return speed


def shape(pairs: np.ndarray, width: int) -> tuple[Layout | None, int, RotaryDims | None, np.ndarray]:
    """Layout, rotary width, where it lies, and for each pair the number of its hand.

    Hands that stand still leave gaps: of ``half`` pairs the distance tells the width, so a width may be
    larger
    than what was seen to move.
    """
    lower, upper = pairs.min(1), pairs.max(1)
    gaps = np.unique(upper - lower)
    if len(gaps) != 1:
        return None, 2 * len(pairs), None, np.argsort(np.argsort(lower))
    gap = int(gaps[0])
    start = int(lower.min())
    if gap == 1 and len(pairs) > 1:
        layout: Layout | None = "interleaved"
        turned = int(upper.max()) - start + 1
        hands = (lower - start) // 2
    else:
        layout = "half" if len(pairs) > 1 or gap > 1 else None
        # A suffix may begin with hands that stand still; nothing tells, so the first moving one counts.
        turned, hands = 2 * gap, lower - start
    if turned == width:
        where: RotaryDims = "whole"
    elif start == 0:
        where = "prefix"
    else:
        where = "suffix"
    return layout, turned, where, hands
