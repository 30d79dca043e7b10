"""What is left of positions and angles in 16 and 32 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import RADIANS, TOKENS, position_axis
from clockhands.analysis.blocks import parts
from clockhands.analysis.exact_angle import Speed, angles, turns_per_token
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.memory import require_memory

Precision = Literal["bf16", "fp16", "fp32"]
PRECISIONS: tuple[Precision, ...] = ("bf16", "fp16", "fp32")
_SIGNIFICANT: dict[Precision, int] = {"bf16": 8, "fp16": 11, "fp32": 24}
"""Bits of a number, the leading one counted."""


@dataclass(frozen=True)
class DistinctPositions:
    """Positions 0 .. n-1 as a precision stores them.

    ``distinct``     how many different numbers are left
    ``first_clash``  the first two neighbours that become one, None if all stay apart
    ``worst_shift``  the largest distance that rounding moves a position, tokens
    """

    n: int
    precision: Precision
    distinct: int
    first_clash: tuple[int, int] | None
    worst_shift: float

    @property
    def rounded(self) -> Labelled:
        """What each position becomes, ``(n,)``, tokens, computed when asked for."""
        require_memory(Text("the rounded positions", "舍入后的位置"), (self.n,), bytes_each=32)
        exact = np.arange(self.n)
        name, axes = Text("position as stored", "存储后的位置"), (position_axis(exact),)
        return Labelled("rounded", name, rounded(exact, self.precision), axes, TOKENS)


@dataclass(frozen=True)
class AngleError:
    """Errors at each position, ``(n,)``, the worst over all hands; infinite where the number overflows.

    ``angle``  of the angle, rad
    ``tip``    of the hand's sine or cosine, whichever is worse: what the model gets
    """

    angle: Labelled
    tip: Labelled


def rounded(values: ArrayLike, precision: Precision) -> Floats:
    """``values`` rounded to nearest (ties to even) in ``precision``, as float64 of the same shape.

    >>> rounded([256, 257, 0.1], "bf16").tolist()
    [256.0, 256.0, 0.10009765625]
    """
    inputs.choice(precision, PRECISIONS, Text("precision", "精度"))
    array = inputs.numbers(values, Text("values", "数值"))
    with np.errstate(over="ignore"):  # too large for the precision is infinity, as in hardware
        if precision == "fp16":
            return array.astype(np.float16).astype(np.float64)
        single = array.astype(np.float32)
    return single.astype(np.float64) if precision == "fp32" else _to_bfloat16(single).astype(np.float64)


def distinct_positions(n: int, precision: Precision) -> DistinctPositions:
    """Which of the positions 0 .. n-1 a 16 or 32 bit float tells apart, however many they are.

    With p significant bits all integers up to 2^p are stored as they are. From there to the last position
    every float is a whole number and so a position, and rounding keeps the order: to count floats is to count
    the positions that stay apart.

    >>> few = distinct_positions(4096, "bf16")
    >>> few.distinct, few.first_clash
    (769, (256, 257))
    """
    n = inputs.count(n, Text("the number of positions", "位置数"))
    inputs.choice(precision, PRECISIONS, Text("precision", "精度"))
    whole, last = 2 ** _SIGNIFICANT[precision], n - 1
    if last <= whole:
        return DistinctPositions(n, precision, n, None, 0.0)
    further = _index(rounded(last, precision), precision) - _index(rounded(whole, precision), precision)
    return DistinctPositions(
        n, precision, whole + 1 + further, (whole, whole + 1), _worst_shift(last, precision)
    )


def _index(value: Floats, precision: Precision) -> int:
    """Which number, in rising order, a stored positive ``value`` is; infinity follows the largest."""
    if precision == "fp16":
        return int(value.astype(np.float16).view(np.uint16))
    return int(value.astype(np.float32).view(np.uint32)) >> (16 if precision == "bf16" else 0)


def _worst_shift(last: int, precision: Precision) -> float:
    """The farthest that rounding moves a position up to ``last``, which has more bits than are kept."""
    if np.isinf(rounded(last, precision)):
        return np.inf
    octave = last.bit_length() - 1  # floats are 2^(octave - bits + 1) apart from here on, half that before
    half = 2 ** (octave - _SIGNIFICANT[precision])
    return float(max(half // 2, min(half, last - 2**octave)))


def angle_error(inv_freq: ArrayLike, positions: ArrayLike, precision: Precision) -> AngleError:
    """Error of angles whose speed, position and product are all kept in ``precision``.

    ``inv_freq``: ``(pairs,)``, rad / token; ``positions``: ``(n,)``, tokens. Sine and cosine themselves are
    taken as exact: casting them last costs half a unit in the last place and no more.

    >>> bool(angle_error([1.0], [257], "bf16").angle.values[0] == 1.0)
    True
    """
    speed, at = inputs.speeds(inv_freq), inputs.places(positions)
    kept, turning = rounded(speed, precision), turns_per_token(speed)
    off, tips = np.empty(len(at)), np.empty(len(at))
    for part in parts(len(at), len(speed)):
        off[part], tips[part] = _worst(speed, kept, turning, at[part], precision)
    axes = (position_axis(np.asarray(positions)),)
    name = Text(f"worst angle error in {precision}", f"{precision} 下最大角度误差")
    tip_name = Text(f"worst error of sin and cos in {precision}", f"{precision} 下 sin 与 cos 的最大误差")
    return AngleError(
        Labelled("angle_error", name, off, axes, RADIANS),
        Labelled("tip_error", tip_name, tips, axes),
    )


def _worst(
    speed: Floats, kept: Floats, turning: Speed, at: Floats, precision: Precision
) -> tuple[Floats, Floats]:
    """Errors of the angle and of the tip at some positions, ``(n,)`` each, the worst over all hands."""
    with np.errstate(invalid="ignore"):  # an overflown position times a hand that stands still
        product = rounded(rounded(at, precision)[:, None] * kept, precision)
    whole = np.isfinite(product)
    found = np.where(whole, product, 0.0)
    off = np.abs(found - at[:, None] * speed)
    true = angles(turning, at)
    tips = np.maximum(np.abs(np.sin(found) - np.sin(true)), np.abs(np.cos(found) - np.cos(true)))
    return np.where(whole, off, np.inf).max(axis=1), np.where(whole, tips, np.inf).max(axis=1)


def _to_bfloat16(single: np.ndarray[tuple[int, ...], np.dtype[np.float32]]):
    """float32 rounded to its upper 16 bits, to nearest, ties to even."""
    bits = single.view(np.uint32)
    to_even = (bits >> np.uint32(16)) & np.uint32(1)
    with np.errstate(over="ignore"):
        kept = (bits + np.uint32(0x7FFF) + to_even) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(single), single, kept.view(np.float32))
