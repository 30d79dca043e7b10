"""Long lists a part at a time: memory that does not grow with them, and work that stays in the cache."""

from __future__ import annotations

from collections.abc import Iterator

AT_ONCE = 2**18
"""Numbers of one array held at a time: 2 MB of float64."""


def parts(count: int, numbers_each: int = 1, at_once: int = AT_ONCE) -> Iterator[slice]:
    """Slices that go through ``count`` things of ``numbers_each`` numbers, at least one thing a slice.

    >>> [(part.start, part.stop) for part in parts(5, numbers_each=2, at_once=4)]
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, at_once // max(1, numbers_each))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))
