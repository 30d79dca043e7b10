"""Animated WebP, lossless: Pillow encodes each frame, the container is written here to keep memory flat.

WebP container specification: https://developers.google.com/speed/webp/docs/riff_container
"""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from clockhands.plots.writers.changes import TRANSPARENT, Change, change
from clockhands.plots.writers.writer import FrameWriter, Timing

_TICKS = 1000
_LONGEST_DELAY = 0xFFFFFF
_ANIMATED_WITH_ALPHA = 0x12
_BLEND_AND_KEEP = 0


class WebpWriter(FrameWriter):
    """Frames must have mode ``P`` and one palette."""

    def __init__(self, path: Path, timing: Timing, frames: int):
        super().__init__(path, timing, frames)
        self._before: NDArray[np.uint8] | None = None
        self._colours = np.full((256, 4), 255, dtype=np.uint8)
        self._file = path.open("wb")

    def _write(self, frame: Image.Image) -> None:
        if self._before is None:
            self._start(frame)
        after = np.asarray(frame)
        left, top, pixels = _on_even_corner(change(self._before, after))
        height, width = pixels.shape
        delay = min(self.timing.ticks(self.added, _TICKS), _LONGEST_DELAY)
        corner_and_size = (left // 2, top // 2, width - 1, height - 1, delay)
        head = b"".join(map(_three_bytes, corner_and_size)) + bytes([_BLEND_AND_KEEP])
        self._chunk(b"ANMF", head + _encoded(self._colours[pixels]))
        self._before = after

    def _start(self, frame: Image.Image) -> None:
        self._file.write(b"RIFF\0\0\0\0WEBP")
        width, height = frame.size
        palette = np.frombuffer(bytes(frame.getpalette() or ()).ljust(768, b"\0"), dtype=np.uint8)
        self._colours[:, :3] = palette.reshape(256, 3)
        self._colours[TRANSPARENT] = 0
        canvas = bytes([_ANIMATED_WITH_ALPHA, 0, 0, 0]) + _three_bytes(width - 1) + _three_bytes(height - 1)
        self._chunk(b"VP8X", canvas)
        self._chunk(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, 0 if self.timing.loop else 1))

    def _chunk(self, name: bytes, data: bytes) -> None:
        self._file.write(name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2))

    def _finish(self) -> None:
        size = self._file.tell() - 8
        self._file.seek(4)
        self._file.write(struct.pack("<I", size))

    def _close(self) -> None:
        self._file.close()


def _on_even_corner(changed: Change) -> Change:
    """The box with its corner moved up and left to where WebP allows one."""
    left, top, pixels = changed
    pixels = np.pad(pixels, ((top % 2, 0), (left % 2, 0)), constant_values=TRANSPARENT)
    return Change(left - left % 2, top - top % 2, pixels)


def _three_bytes(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _encoded(pixels: NDArray[np.uint8]) -> bytes:
    """The image chunks of a still WebP that Pillow wrote, without its RIFF head; ``pixels`` are RGBA."""
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", lossless=True, quality=30, method=2)
    data, at, kept = buffer.getvalue(), 12, b""
    while at < len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        end = at + 8 + size + size % 2
        if name != b"VP8X":
            kept += data[at:end]
        at = end
    return kept
