"""What a loop over rows is told."""

from __future__ import annotations

from typing import NamedTuple

Steps = tuple[int, int, int]


class Work(NamedTuple):
    """What a loop must know of one tensor, all of it whole numbers.

    x, out, cos, sin  addresses
    sizes             see the loop
    x_steps, out_steps, table_steps  bytes from one row to the next on each of the three axes
    far               whether results go past the cache
    rows              how many there are
    """

    x: int
    out: int
    cos: int
    sin: int
    sizes: tuple[int, int, int, int, int, int]
    x_steps: Steps
    out_steps: Steps
    table_steps: Steps
    far: bool
    rows: int

    def numbers(self) -> list[int]:
        """All of it in one row; ``Shared`` reads them by their places."""
        return [
            self.x, self.out, self.cos, self.sin, *self.sizes, *self.x_steps, *self.out_steps,
            *self.table_steps, self.far, self.rows,
        ]  # fmt: skip
