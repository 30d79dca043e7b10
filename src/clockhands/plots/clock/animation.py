"""A clock that can be looked at one frame at a time, saved in many formats, and played in a notebook."""

from __future__ import annotations

import base64
import html
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from clockhands.analysis import export
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError, nearest
from clockhands.language import Language, Text
from clockhands.plots.clock.svg import Motion
from clockhands.plots.writers import WRITERS, ApngWriter, FrameWriter, StripWriter, Timing, write_frames
from clockhands.plots.writers.gif import FASTEST_GIF
from clockhands.writing import file_path, written_aside

MOST_FRAMES = 20_000
_MOST_EMBEDDED = 300
"""Frames that a notebook is asked to hold as GIF; longer runs are embedded as SVG, which hardly grows."""

FORMATS = (*WRITERS, ".png", ".svg", ".npz", ".csv")


class Framer(Protocol):
    """Draws frames in any order; frames in order come fast."""

    def frame(self, position: float) -> Image.Image: ...


class Drawing(Protocol):
    """What an animation shows: pixels, vectors, numbers and words of one picture."""

    def painter(self, widest: float) -> Framer: ...

    def svg(self, motion: Motion) -> str: ...

    def data(self, positions: NDArray[np.float64]) -> tuple[Labelled, ...]: ...

    def about(self) -> Text: ...


@dataclass(frozen=True)
class Animation:
    """Hands at ``positions``, ``steps_per_second`` of them a second.

    Frames are drawn when they are asked for and never kept, so memory does not grow with their number.
    """

    drawing: Drawing
    positions: range
    steps_per_second: Fraction
    lang: Language

    @property
    def seconds(self) -> float:
        """How long one run takes."""
        return float(len(self.positions) / self.steps_per_second)

    @property
    def data(self) -> tuple[Labelled, ...]:
        """Exactly the numbers that are drawn, float64, ``(positions, pairs)`` each."""
        return self.drawing.data(np.array(self.positions, dtype=np.float64))

    @property
    def title(self) -> Text:
        """What the picture shows."""
        return self.drawing.about()

    def frame(self, position: int | None = None) -> Image.Image:
        """One picture, at the last position if none is given. Any position will do, shown or not."""
        at = self.positions[-1] if position is None else position
        return self.drawing.painter(self._widest(at)).frame(at)

    def frames(self, positions: Iterable[int] | None = None) -> Iterator[Image.Image]:
        """Pictures of mode ``P``, one at a time, all on one palette."""
        shown = self.positions if positions is None else list(positions)
        painter = self.drawing.painter(self._widest(*(() if positions is None else shown)))
        for position in shown:
            yield painter.frame(position)

    def _widest(self, *more: int) -> int:
        """The position with the most digits, so that the words beside it stand still in all frames."""
        return max(self.positions[0], self.positions[-1], *more, key=lambda position: len(str(position)))

    def svg(self, *, loop: bool = True) -> str:
        """An SVG document in which the hands turn smoothly: exact at any moment, no frames in it."""
        return self.drawing.svg(Motion(self.positions, float(self.steps_per_second), loop))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        apng: bool = False,
        strip: int | Iterable[int] | None = None,
        position: int | None = None,
        loop: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> Path:
        """Write the animation; the ending of ``path`` chooses the format. Returns the path.

        ``.gif`` ``.webp`` ``.apng`` ``.mp4``  moving pixels (MP4 needs the extra ``video``)
        ``.svg``   moving vectors, exact at any moment
        ``.png``   one frame: at ``position``, else the last; with ``apng`` an animated PNG; with ``strip``
                   several frames side by side, so many or at these positions
        ``.npz`` ``.csv``  the numbers

        ``loop``      start again at the end, for ever (MP4 leaves that to the player)
        ``progress``  called after each frame with how many are done, of how many

        The file is written aside and renamed: what was there before stays whole if anything fails.

        Raises:
            ClockhandsError: another ending; too many frames; a place that can't be written.
            MissingExtra: MP4 without PyAV.
        """
        path = require_format(path)
        ending = path.suffix.lower()
        if ending in {".npz", ".csv"}:
            return export.save(path, *self.data)
        if ending == ".svg":
            with written_aside(path) as aside:
                aside.write_text(self.svg(loop=loop), encoding="utf-8")
        elif ending == ".png" and strip is not None:
            self._save_frames(path, StripWriter, self._strip_positions(strip), loop, progress)
        elif ending == ".png" and not apng:
            with written_aside(path) as aside:
                self.frame(position).save(aside, "PNG", optimize=True)
        else:
            self._save_frames(path, WRITERS.get(ending, ApngWriter), self.positions, loop, progress)
        return path

    def _save_frames(
        self,
        path: Path,
        writer: type[FrameWriter],
        positions: range | list[int],
        loop: bool,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        count = len(positions)
        if count > MOST_FRAMES:
            raise ClockhandsError(
                f"{count:,} frames are too many for {path.suffix}: use at most {MOST_FRAMES:,}, or .svg",
                f"{path.suffix} 放不下 {count:,} 帧：请不超过 {MOST_FRAMES:,} 帧，或改用 .svg",
            )
        timing = Timing(1 / self.steps_per_second, loop)
        write_frames(path, writer, self.frames(positions), count, timing, progress)

    def _strip_positions(self, strip: int | Iterable[int]) -> list[int]:
        if not isinstance(strip, int):
            chosen = list(strip)
        else:
            places = np.linspace(0, len(self.positions) - 1, min(max(strip, 0), len(self.positions)))
            chosen = [self.positions[round(place)] for place in places]
        if not chosen:
            raise ClockhandsError(
                f"a strip of {strip} frames shows nothing: ask for one frame or more",
                f"{strip} 帧拼不成图：至少要有一帧",
            )
        return chosen

    def _repr_html_(self) -> str:
        """Plays where it is shown: a GIF inside the page, or SVG where GIF would be too large or too slow."""
        if len(self.positions) > _MOST_EMBEDDED or self.steps_per_second > FASTEST_GIF:
            kind, content = "svg+xml", self.svg().encode()
        else:
            with tempfile.TemporaryDirectory() as folder:
                kind, content = "gif", self.save(Path(folder) / "clock.gif").read_bytes()
        described = html.escape(self.title.said_in(self.lang), quote=True)
        encoded = base64.b64encode(content).decode("ascii")
        return f'<img alt="{described}" src="data:image/{kind};base64,{encoded}" style="max-width:100%">'

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}


def require_format(path: str | os.PathLike[str]) -> Path:
    """``path``, if its ending is one that an animation can be saved under; ClockhandsError if not.

    >>> require_format("clock.gif").name
    'clock.gif'
    """
    path = file_path(path)
    if path.suffix.lower() not in FORMATS:
        hint = nearest(path.suffix or path.name, FORMATS)
        raise ClockhandsError(
            f"'{path.name}' has no ending an animation can be saved under: {hint.en}",
            f"“{path.name}”的扩展名不能用来保存动画：{hint.zh}",
        )
    return path
