"""Where a chapter is made: its language, its text, how hard to work, and a folder to put pictures in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clockhands.analysis import export
from clockhands.analysis.labelled import Labelled
from clockhands.demo.chapter import Figure, Table
from clockhands.demo.passages import Passages
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.plots.clock.animation import Animation
    from clockhands.plots.picture import Picture

PICTURES, DATA = "pictures", "data"


@dataclass(frozen=True)
class Effort:
    """How much work the chapters that train and move may take.

    epochs      of the article's own training; its losses are read at each quarter
    steps       of the training on hidden words
    next_steps  of the training on the next word
    frames      of the moving clocks, one a position
    """

    epochs: int = 200
    steps: int = 350
    next_steps: int = 150
    frames: int = 50


@dataclass(frozen=True)
class Studio:
    """Made once a run; the same for all chapters, in whatever process they are made."""

    folder: Path
    lang: Language
    passages: Passages
    effort: Effort = Effort()

    def picture(self, name: str, picture: Picture, *, alt: Text, caption: Text) -> Figure:
        """Save a still picture and its numbers under ``name``."""
        file, data = f"{PICTURES}/{name}.png", f"{DATA}/{name}.npz"
        picture.save(self._place(file))
        picture.save(self._place(data))
        width, height = _size(self.folder / file)
        return Figure(file=file, width=width, height=height, alt=alt, caption=caption, data=data)

    def moving(self, name: str, animation: Animation, *, still_at: int, alt: Text, caption: Text) -> Figure:
        """Save a moving picture, its numbers, and the frame at ``still_at`` for readers without motion."""
        file, data, still = f"{PICTURES}/{name}.gif", f"{DATA}/{name}.npz", f"{PICTURES}/{name}.png"
        animation.save(self._place(file))
        animation.save(self._place(still), position=still_at)
        animation.save(self._place(data))
        width, height = _size(self.folder / file)
        return Figure(file=file, width=width, height=height, alt=alt, caption=caption, data=data, still=still)

    def table(
        self,
        name: str,
        header: Sequence[Text],
        rows: Sequence[Sequence[Text]],
        caption: Text,
        data: Labelled,
    ) -> Table:
        """A table whose numbers, ``data``, are saved under ``name``."""
        file = f"{DATA}/{name}.csv"
        export.save(self._place(file), data)
        return Table(header=tuple(header), rows=tuple(map(tuple, rows)), caption=caption, data=file)

    def _place(self, file: str) -> Path:
        path = self.folder / file
        path.parent.mkdir(exist_ok=True)
        return path


def _size(path: Path) -> tuple[int, int]:
    from PIL import Image

    with Image.open(path) as image:
        return image.size
