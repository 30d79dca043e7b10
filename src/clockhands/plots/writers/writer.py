"""What every animation writer does: take frames one by one, keep nothing but the last, finish the file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

from PIL import Image


@dataclass(frozen=True)
class Timing:
    """How long each frame stays, in seconds, and whether the animation starts again at its end."""

    seconds_per_frame: Fraction
    loop: bool = True

    def ticks(self, index: int, per_second: int) -> int:
        """Whole ticks for frame ``index``, rounded so that any number of frames ends on the right tick.

        >>> third = Timing(Fraction(1, 3))
        >>> [third.ticks(i, 100) for i in range(3)]
        [33, 34, 33]
        """
        ends = [round(number * self.seconds_per_frame * per_second) for number in (index, index + 1)]
        return ends[1] - ends[0]


class FrameWriter(ABC):
    """One file being written. Use it as a context manager; the file is whole only if the block ends well.

    All frames have one size; those of mode ``P`` share one palette whose index 255 no pixel uses.
    """

    def __init__(self, path: Path, timing: Timing, frames: int):
        """``frames`` is how many will be added."""
        self.path, self.timing, self.frames = path, timing, frames
        self.added = 0

    def add(self, frame: Image.Image) -> None:
        """Write the next frame."""
        self._write(frame)
        self.added += 1

    @abstractmethod
    def _write(self, frame: Image.Image) -> None:
        """Write frame number ``self.added``."""

    @abstractmethod
    def _finish(self) -> None:
        """Write what comes after the last frame."""

    @abstractmethod
    def _close(self) -> None:
        """Let go of the file, finished or not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._close()
