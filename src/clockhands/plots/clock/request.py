"""What a person asks of a clock picture, checked before anything is drawn."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

from clockhands.analysis import inputs
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots.clock.layout import SIZE_ALONE, SIZE_WITH_WALL

SMALLEST_SIDE, MOST_PIXELS = 200, 16_000_000
MOST_POSITIONS = 1_000_000
MOST_STEPS_PER_SECOND = 240


def shown_positions(positions: int | range, start: int) -> range:
    """A count from ``start``, or a range as it is.

    Raises ClockhandsError: none, more than ``MOST_POSITIONS``, falling, or out of the reach of float64.
    """
    if isinstance(positions, range):
        shown = positions
    else:
        count = inputs.count(positions, Text("the number of positions", "位置数"), most=MOST_POSITIONS)
        first = inputs.count(start, Text("start", "起始位置"), least=-inputs.FARTHEST)
        shown = range(first, first + count)
    if not 1 <= len(shown) <= MOST_POSITIONS or shown.step < 0:
        raise ClockhandsError(
            f"{shown} can't be played: give a rising range of 1 to {MOST_POSITIONS:,} positions",
            f"无法播放 {shown}：请给出递增的范围，包含 1 到 {MOST_POSITIONS:,} 个位置",
        )
    inputs.places([shown[0], shown[-1]])
    return shown


def picture_size(size: tuple[int, int] | None, wall: bool) -> tuple[int, int]:
    """Width and height in pixels, the usual ones if none are given.

    Raises ClockhandsError: not two whole numbers, too small to read, or more than ``MOST_PIXELS`` pixels.
    """
    if size is None:
        return SIZE_WITH_WALL if wall else SIZE_ALONE
    try:
        width, height = (operator.index(side) for side in size)
    except (TypeError, ValueError) as error:
        raise ClockhandsError(
            f"size is {size!r}: give width and height as two whole numbers of pixels",
            f"size 为 {size!r}：请给出宽和高两个整数（像素）",
        ) from error
    if min(width, height) < SMALLEST_SIDE or width * height > MOST_PIXELS:
        raise ClockhandsError(
            f"a picture of {width} × {height} pixels can't be drawn: give each side at least {SMALLEST_SIDE} "
            f"and the whole at most {MOST_PIXELS:,} pixels",
            f"无法画 {width} × {height} 像素的图：每边至少 {SMALLEST_SIDE}，总像素最多 {MOST_PIXELS:,}",
        )
    return width, height


def speed(steps_per_second: float) -> Fraction:
    """Positions shown a second, as an exact fraction so that no rounding adds up over the frames.

    Raises ClockhandsError: not a number between 1/100 and ``MOST_STEPS_PER_SECOND``.

    >>> speed(2.5)
    Fraction(5, 2)
    """
    try:
        value = float(steps_per_second)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.01 <= value <= MOST_STEPS_PER_SECOND:
        raise ClockhandsError(
            f"steps_per_second is {steps_per_second}: use a number from 0.01 to {MOST_STEPS_PER_SECOND}",
            f"steps_per_second 为 {steps_per_second}：请用 0.01 到 {MOST_STEPS_PER_SECOND} 之间的数",
        )
    return Fraction(value).limit_denominator(1000)


def trail_steps(trail: int) -> int:
    """How many steps the trail goes back; 0 draws none."""
    return inputs.count(trail, Text("trail", "尾迹步数"), least=0)


def language(lang: str) -> Language:
    """``en`` or ``zh``, or ClockhandsError."""
    inputs.choice(lang, ("en", "zh"), Text("language", "语言"))
    return "zh" if lang == "zh" else "en"
