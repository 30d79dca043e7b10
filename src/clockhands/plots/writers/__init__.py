"""Animation files, written frame by frame: GIF, APNG, WebP, MP4, and a PNG strip.

>>> sorted(WRITERS)
['.apng', '.gif', '.mp4', '.webp']
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from PIL import Image

from clockhands.plots.writers.apng import ApngWriter
from clockhands.plots.writers.gif import GifWriter
from clockhands.plots.writers.strip import StripWriter
from clockhands.plots.writers.video import VideoWriter
from clockhands.plots.writers.webp import WebpWriter
from clockhands.plots.writers.writer import FrameWriter, Timing
from clockhands.writing import written_aside

__all__ = ["WRITERS", "ApngWriter", "FrameWriter", "StripWriter", "Timing", "write_frames"]

WRITERS: dict[str, type[FrameWriter]] = {
    ".gif": GifWriter,
    ".apng": ApngWriter,
    ".webp": WebpWriter,
    ".mp4": VideoWriter,
}
"""By suffix of the file."""

Progress = Callable[[int, int], None]


def write_frames(
    path: str | os.PathLike[str],
    writer: type[FrameWriter],
    frames: Iterable[Image.Image],
    count: int,
    timing: Timing,
    progress: Progress | None = None,
) -> None:
    """Write ``count`` frames to ``path``; what was there before stays until the new file is whole.

    ``progress(done, count)`` is called after each frame.

    Raises:
        ClockhandsError: the place can't be written, or the format can't hold these frames.
    """
    with written_aside(Path(path)) as aside, writer(aside, timing, count) as file:
        for number, frame in enumerate(frames, start=1):
            file.add(frame)
            if progress:
                progress(number, count)
