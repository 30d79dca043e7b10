"""Several frames side by side on one PNG, for paper and for places where nothing moves."""

from __future__ import annotations

import math
from pathlib import Path

from PIL import Image

from clockhands.errors import ClockhandsError
from clockhands.plots.writers.writer import FrameWriter, Timing

_MOST_PIXELS = 100_000_000
_FEWEST_COLUMNS, _MOST_COLUMNS = 4, 6


def columns_of(frames: int) -> int:
    """How many frames go into a row: rows of one length, 4 to 6 long, else as even as can be.

    >>> [columns_of(frames) for frames in (5, 6, 7, 8, 10, 16, 20)]
    [5, 6, 4, 4, 5, 4, 5]
    """
    if frames <= _MOST_COLUMNS:
        return frames
    for columns in range(_MOST_COLUMNS, _FEWEST_COLUMNS - 1, -1):
        if frames % columns == 0:
            return columns
    rows = math.ceil(frames / _MOST_COLUMNS)
    return math.ceil(frames / rows)


class StripWriter(FrameWriter):
    """Frames in rows of equal length where that can be, up to six a row, left to right.

    All are held in one picture, so their number is limited.
    """

    def __init__(self, path: Path, timing: Timing, frames: int):
        super().__init__(path, timing, frames)
        self._page: Image.Image | None = None
        self._columns = columns_of(frames)

    def _write(self, frame: Image.Image) -> None:
        width, height = frame.size
        if self._page is None:
            rows = math.ceil(self.frames / self._columns)
            if width * height * rows * self._columns > _MOST_PIXELS:
                raise ClockhandsError(
                    f"{self.frames} frames of {width} × {height} pixels are too many for one strip: "
                    f"stay within {_MOST_PIXELS:,} pixels",
                    f"{self.frames} 帧 {width} × {height} 像素拼不成一张图：总像素请不超过 {_MOST_PIXELS:,}",
                )
            self._page = Image.new(
                frame.mode, (width * self._columns, height * rows), frame.getpixel((0, 0)) or 0
            )
            if frame.mode == "P":
                self._page.putpalette(frame.getpalette() or [])
        row, column = divmod(self.added, self._columns)
        self._page.paste(frame, (column * width, row * height))

    def _finish(self) -> None:
        if self._page is not None:
            self._page.save(self.path, "PNG", optimize=True)

    def _close(self) -> None:
        self._page = None
