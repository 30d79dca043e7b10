"""MP4 (H.264) through PyAV."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from clockhands.errors import MissingExtra
from clockhands.language import Text
from clockhands.plots.writers.writer import FrameWriter, Timing


class VideoWriter(FrameWriter):
    """Pictures with an odd width or height get one more column or row, as H.264 needs even sizes.

    Raises:
        MissingExtra: PyAV is not installed (extra ``video``).
    """

    def __init__(self, path: Path, timing: Timing, frames: int):
        super().__init__(path, timing, frames)
        try:
            self._av: Any = importlib.import_module("av")
        except ImportError as error:
            raise MissingExtra(Text("writing MP4", "写 MP4 视频"), "video") from error
        self._container: Any = self._av.open(str(path), "w", format="mp4", options={"movflags": "faststart"})
        self._stream: Any = None

    def _write(self, frame: Image.Image) -> None:
        pixels = np.asarray(frame.convert("RGB"))
        height, width = pixels.shape[:2]
        if height % 2 or width % 2:
            pixels = np.pad(pixels, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        if self._stream is None:
            self._stream = self._container.add_stream("libx264", rate=1 / self.timing.seconds_per_frame)
            self._stream.height, self._stream.width = pixels.shape[:2]
            self._stream.pix_fmt = "yuv420p"
            self._stream.options = {"crf": "18", "tune": "animation"}
        picture = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
        picture.pts, picture.time_base = self.added, self.timing.seconds_per_frame
        self._container.mux(self._stream.encode(picture))

    def _finish(self) -> None:
        self._container.mux(self._stream.encode())

    def _close(self) -> None:
        self._container.close()
