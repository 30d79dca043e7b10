"""GIF: one global palette, each frame only the box that changed. GIF89a specification, CompuServe 1990."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from clockhands.errors import ClockhandsError
from clockhands.plots.writers.changes import TRANSPARENT, change
from clockhands.plots.writers.writer import FrameWriter, Timing

_TICKS = 100  # GIF counts in hundredths of a second
FASTEST_GIF = 50
"""Frames a second: viewers slow down frames that are shorter than two hundredths."""
_LONGEST_DELAY = 0xFFFF


class GifWriter(FrameWriter):
    """Frames must have mode ``P`` and one palette."""

    def __init__(self, path: Path, timing: Timing, frames: int):
        super().__init__(path, timing, frames)
        if timing.seconds_per_frame * FASTEST_GIF < 1:
            shown = float(1 / timing.seconds_per_frame)
            raise ClockhandsError(
                f"{shown:g} frames per second is too fast for GIF: use at most {FASTEST_GIF}, or WebP",
                f"GIF 不支持每秒 {shown:g} 帧：最多 {FASTEST_GIF} 帧，或改用 WebP",
            )
        self._before: NDArray[np.uint8] | None = None
        self._file = path.open("wb")

    def _write(self, frame: Image.Image) -> None:
        if self._before is None:
            self._file.write(_header(frame, self.timing.loop))
        after = np.asarray(frame)
        left, top, pixels = change(self._before, after)
        delay = min(self.timing.ticks(self.added, _TICKS), _LONGEST_DELAY)
        leave_in_place_with_transparency = 1 << 2 | 1
        self._file.write(
            struct.pack("<BBBBHBB", 0x21, 0xF9, 4, leave_in_place_with_transparency, delay, TRANSPARENT, 0)
        )
        height, width = pixels.shape
        self._file.write(struct.pack("<BHHHHB", 0x2C, left, top, width, height, 0))
        self._file.write(_compressed(pixels))
        self._before = after

    def _finish(self) -> None:
        self._file.write(b"\x3b")

    def _close(self) -> None:
        self._file.close()


def _header(frame: Image.Image, loop: bool) -> bytes:
    palette_of_256 = 0xF7
    palette = bytes(frame.getpalette() or ()).ljust(768, b"\0")
    start = b"GIF89a" + struct.pack("<HHBBB", *frame.size, palette_of_256, 0, 0) + palette
    return start + (b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0" if loop else b"")


def _compressed(pixels: NDArray[np.uint8]) -> bytes:
    """The LZW data of one picture, cut out of a GIF that Pillow wrote."""
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "GIF", optimize=False, interlace=0)
    data = buffer.getvalue()
    at = 13 + _table_size(data[10])
    while data[at] == 0x21:  # extensions: label, then blocks until an empty one
        at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    at += 10 + _table_size(data[at + 9])
    return data[at:-1]


def _table_size(flags: int) -> int:
    """Bytes of the colour table that these flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0
