"""What can be drawn within seconds and within the memory that is free, said before trying."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory

MOST_NUMBERS = 2**26
"""A million positions of width 64, or all pairs of 8,192 positions: more than any screen shows."""
MOST_DRAWN = 2**24
"""4,096 rows of width 4,096: a second or so of random numbers."""
_COPIES = 7  # of its numbers that a picture holds at once while it is made


def require_room(what: Text, shape: Sequence[int], copies: int = _COPIES) -> None:
    """Raise ClockhandsError where numbers of ``shape`` are too many to draw, or need too much memory.

    >>> require_room(Text("a table", "这张表"), (100, 32))
    """
    if math.prod(shape) > MOST_NUMBERS:
        size = " x ".join(f"{count:,}" for count in shape)
        raise ClockhandsError(
            f"{what.en} of {size} numbers is too large to draw, {MOST_NUMBERS:,} is the most: "
            "use fewer positions, or a range of them",
            f"{what.zh}（{size} 个数）太大，画不了（最多 {MOST_NUMBERS:,} 个）：请减少位置，或只看其中一段",
        )
    require_memory(what, shape, 8 * copies)


def require_few_drawn(shape: Sequence[int]) -> None:
    """Raise ClockhandsError where an untrained table of this shape has too many random numbers to wait for.

    >>> require_few_drawn((512, 768))
    """
    if math.prod(shape) > MOST_DRAWN:
        size = " x ".join(f"{count:,}" for count in shape)
        raise ClockhandsError(
            f"the untrained table of {size} numbers is too large to draw, {MOST_DRAWN:,} is the most: "
            "use a smaller d_model or max_positions",
            f"未训练的表（{size} 个数）太大，画不了（最多 {MOST_DRAWN:,} 个）："
            "请把 d_model 或 max_positions 改小",
        )
