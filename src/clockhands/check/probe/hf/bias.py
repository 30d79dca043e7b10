"""What is added to scores, read from the scores of constant content. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clockhands.check.form import WindowKind

HIDDEN = -1e4
"""Logits below it come from a mask, not from a bias."""


@dataclass(frozen=True)
class Bias:
    """What a bias is as a function of distance.

    family  ``none``, ``alibi``, ``t5`` (piecewise constant), ``other``
    slopes  logits / token, one a head
    by_distance  ``(h, 2t - 1)`` at distances ``-(t - 1) … t - 1`` (query position - key position), NaN if
    hidden
    """

    family: str
    by_distance: np.ndarray
    slopes: tuple[float, ...] | None = None
    bidirectional: bool | None = None


def visible(bias: np.ndarray) -> np.ndarray:
    """``(t, tk)`` which keys a query of any head may see."""
    return np.asarray((bias > HIDDEN).all(axis=tuple(range(bias.ndim - 2))))


def window_of(seen: np.ndarray) -> tuple[int, WindowKind] | None:
    """Most tokens that a query sees, if some query doesn't see what lies further away; None if all is seen.

    In chunks a later query may see fewer tokens behind it than one before: its chunk has just begun.
    """
    t = seen.shape[-1]
    behind = [int(seen[i, : i + 1].sum()) for i in range(t)]
    ahead = [int(seen[i, i + 1 :].sum()) for i in range(t)]
    nearest = bool(seen[-1, t - behind[-1] :].all())  # else tokens are chosen by what they hold
    if behind[-1] < t and nearest:
        chunked = any(later < earlier for earlier, later in pairwise(behind))
        most = max(b + a for b, a in zip(behind, ahead, strict=True))
        return most, "chunked" if chunked else "sliding"
    return None


def read(bias: np.ndarray, heads_wanted: int) -> Bias:
    """Biases ``(h, t, t)``, masked ones far below ``HIDDEN`` -> what they are as a function of distance."""
    bias = np.broadcast_to(bias, (heads_wanted, *bias.shape[1:])) if len(bias) == 1 else bias
    heads, t, _ = bias.shape
    bias = np.where(bias > HIDDEN, bias, np.nan)
    raw = _along(bias)
    own = bias[:, np.arange(t), np.arange(t)][:, :, None]
    flat = bias - own  # softmax ignores what a whole row shares
    line = _along(flat)
    if line is None:
        return Bias("other", np.zeros((heads, 2 * t - 1)))
    size = np.nanmax(np.abs(line))
    distance = np.arange(-(t - 1), t)
    future = bool(np.isfinite(line[:, : t - 1]).any())
    if size < 1e-9:
        return Bias("none", line, bidirectional=future)
    past = line[:, t - 1 :]
    # Some code attends in float32: all distances together tell the slope more precisely than the first.
    seen = np.where(np.isfinite(past), np.arange(t), 0)
    slopes = -(np.nan_to_num(past) * seen).sum(1) / np.maximum((seen**2).sum(1), 1)
    straight = np.nanmax(np.abs(past + slopes[:, None] * np.arange(t))) < 1e-5 * size + 1e-9
    if straight and (slopes >= -1e-9).all() and (slopes > 0).any():
        return Bias("alibi", line, tuple(float(f"{each:.7g}") for each in slopes), bidirectional=future)
    if raw is None:
        raw = line
    ahead = raw[:, distance < 0]
    both = bool(np.isfinite(ahead).any()) and bool(
        np.nanmax(np.abs(ahead - raw[:, t - 1 : t])) > 1e-9 * max(size, 1.0)
    )
    return Bias("t5", raw, bidirectional=both)


def _along(bias: np.ndarray) -> np.ndarray | None:
    """``(h, 2t - 1)`` by distance, or None if entries of one distance differ."""
    heads, t, _ = bias.shape
    out = np.full((heads, 2 * t - 1), np.nan)
    for n, distance in enumerate(range(-(t - 1), t)):
        each = np.diagonal(bias, -distance, 1, 2)
        if not np.isfinite(each).any():
            continue
        lowest, highest = np.nanmin(each, axis=1), np.nanmax(each, axis=1)
        if (highest - lowest > 1e-5 * (1 + np.abs(highest))).any():
            return None
        out[:, n] = lowest
    return out


def buckets(by_distance: np.ndarray, table: np.ndarray) -> np.ndarray | None:
    """The row ``(2t - 1,)`` of ``table`` ``(rows, h)`` that each distance shows, up to one factor; or
    None."""
    shown = by_distance.T  # (2t-1, h)
    finite = np.isfinite(shown).all(1)
    if table.shape[1] != shown.shape[1]:
        return None
    rows = np.full(len(shown), -1)
    for factor in _factors(shown[finite], table):
        gaps = np.abs(shown[:, None] - factor * table[None]).max(-1)
        rows = np.where(finite, np.argmin(gaps, 1), -1)
        if (np.where(finite, gaps.min(1), 0.0) < 1e-6 * (1e-3 + np.abs(table).max())).all():
            return rows
    return None


def _factors(shown: np.ndarray, table: np.ndarray) -> list[float]:
    """1, and what one row would have to be multiplied by to be the first that is shown."""
    first = shown[len(shown) // 2]
    ratios = first[None] / np.where(table == 0, np.nan, table)
    same = np.nanmax(ratios, 1) - np.nanmin(ratios, 1) < 1e-6 * np.abs(ratios).max(1)
    return [1.0, *(float(each) for each in ratios[same, 0])]


def rows_used(rows: np.ndarray, most: int, bidirectional: bool) -> int:
    """Buckets there are: a table may have more rows, for other things.

    Keys ahead take the other half, so the rows of the nearest ones on both sides are half of them apart.
    """
    own = len(rows) // 2
    half = int(rows[own - 1] - rows[own + 1])
    return 2 * half if bidirectional and 0 < 2 * half <= most else most


def farthest(rows: np.ndarray, num_buckets: int, bidirectional: bool) -> tuple[int, ...]:
    """Every ``max_distance`` with which T5's formula puts all distances that were seen where they were
    seen."""
    from clockhands.formulas.buckets import t5_bucket

    t = (len(rows) + 1) // 2
    distance = np.arange(-(t - 1), t)
    known = rows >= 0
    one_way = num_buckets // 2 if bidirectional else num_buckets
    fits: dict[int, int] = {}
    for far in (*range(one_way // 2 + 1, 2 * t), *(2**n for n in range(4, 17) if 2**n >= 2 * t)):
        if not _roughly(rows, distance, one_way, far):
            continue
        said = t5_bucket(distance, num_buckets, far, bidirectional)
        # A boundary may fall one token aside: the published formula decides it by the last bit of a float.
        wrong = int(np.count_nonzero((said != rows) & known))
        if wrong <= max(2, t // 100):
            fits[far] = wrong
    return tuple(far for far, wrong in fits.items() if wrong == min(fits.values()))


def _roughly(rows: np.ndarray, distance: np.ndarray, one_way: int, far: int) -> bool:
    """Whether the formula in floating point puts distances about where they were seen: a quick look."""
    exact = one_way // 2
    past = (distance >= exact) & (rows >= 0)
    if not past.any() or far <= exact:
        return True
    grown = np.log(distance[past] / exact) / np.log(far / exact) * (one_way - exact)
    said = np.minimum(exact + np.floor(grown), one_way - 1)
    return int(np.count_nonzero(np.abs(said - rows[past]) > 0)) <= max(8, len(rows) // 20)


def roundest(numbers: tuple[int, ...]) -> int | None:
    """The number that most powers of two divide: of distances that behave alike, the one a person would
    write."""
    return max(numbers, key=lambda each: (each & -each, -each), default=None)
