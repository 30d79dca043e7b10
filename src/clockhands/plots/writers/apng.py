"""Animated PNG: one palette, each frame only the box that changed.

PNG specification, third edition, section 11.3.6.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from clockhands.plots.writers.changes import TRANSPARENT, change
from clockhands.plots.writers.writer import FrameWriter, Timing

_TICKS = 1000
_KEEP, _OVER = 0, 1  # leave the frame in place; draw the next one over it


class ApngWriter(FrameWriter):
    """Frames must have mode ``P`` and one palette."""

    def __init__(self, path: Path, timing: Timing, frames: int):
        super().__init__(path, timing, frames)
        self._before: NDArray[np.uint8] | None = None
        self._sequence = 0
        self._file = path.open("wb")

    def _write(self, frame: Image.Image) -> None:
        if self._before is None:
            self._start(frame)
        after = np.asarray(frame)
        left, top, pixels = change(self._before, after)
        height, width = pixels.shape
        delay = self.timing.ticks(self.added, _TICKS)
        scale = 1 if delay <= 0xFFFF else _TICKS
        control = struct.pack(
            ">IIIIHHBB", width, height, left, top, delay // scale, _TICKS // scale, _KEEP, _OVER
        )
        self._chunk(b"fcTL", self._next() + control)
        lines = np.zeros((height, width + 1), dtype=np.uint8)  # each line starts with filter type 0
        lines[:, 1:] = pixels
        data = zlib.compress(lines.tobytes(), 6)
        if self._before is None:
            self._chunk(b"IDAT", data)
        else:
            self._chunk(b"fdAT", self._next() + data)
        self._before = after

    def _start(self, frame: Image.Image) -> None:
        self._file.write(b"\x89PNG\r\n\x1a\n")
        eight_bit_palette = (8, 3, 0, 0, 0)
        self._chunk(b"IHDR", struct.pack(">II5B", *frame.size, *eight_bit_palette))
        self._chunk(b"acTL", struct.pack(">II", self.frames, 0 if self.timing.loop else 1))
        self._chunk(b"PLTE", bytes(frame.getpalette() or ()).ljust(768, b"\0"))
        self._chunk(b"tRNS", b"\xff" * TRANSPARENT + b"\0")

    def _next(self) -> bytes:
        self._sequence += 1
        return struct.pack(">I", self._sequence - 1)

    def _chunk(self, name: bytes, data: bytes) -> None:
        self._file.write(struct.pack(">I", len(data)) + name + data)
        self._file.write(struct.pack(">I", zlib.crc32(name + data)))

    def _finish(self) -> None:
        self._chunk(b"IEND", b"")

    def _close(self) -> None:
        self._file.close()
