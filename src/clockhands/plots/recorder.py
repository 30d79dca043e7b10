"""What a picture holds, as plain values: tests ask for structure, not for pixels.

>>> from clockhands.plots.heatmap import heatmap
>>> drawn = record(heatmap([[0.0, 1.0], [1.0, -2.0]]))
>>> drawn.panel("map").images[0].limits
(-2.0, 2.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.plots.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Image:
    """Numbers shown as colours: ``values`` as drawn, ``limits`` of the colour scale, the map's name."""

    values: NDArray[Any]
    limits: tuple[float, float]
    colours: str


@dataclass(frozen=True)
class Line:
    """One curve as drawn, in data coordinates."""

    x: NDArray[Any]
    y: NDArray[Any]
    colour: Any
    label: str


@dataclass(frozen=True)
class Panel:
    """One set of axes.

    ``marks``   places of scattered points, one array per group
    ``bands``   how many filled bands between two curves
    ``shapes``  how many other filled shapes
    """

    name: str
    title: str
    x_limits: tuple[float, float]
    y_limits: tuple[float, float]
    x_ticks: tuple[str, ...]
    y_ticks: tuple[str, ...]
    images: tuple[Image, ...]
    lines: tuple[Line, ...]
    marks: tuple[NDArray[Any], ...]
    bands: int
    shapes: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """Where a text lies on the rendered page, pixels from the bottom-left corner."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box, slack: float = 1.0) -> bool:
        """Whether the two share more than ``slack`` pixels in both directions."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return wide > slack and high > slack


@dataclass(frozen=True)
class Record:
    """All that was drawn on one page: its size in inches, its panels and its words."""

    size: tuple[float, float]
    panels: tuple[Panel, ...]
    texts: tuple[str, ...]
    """Every text of the page, those of panels too."""
    fonts: tuple[str, ...]

    def panel(self, name: str) -> Panel:
        """The panel called ``name``. Raises ClockhandsError if there is none, or more than one."""
        found = [panel for panel in self.panels if panel.name == name]
        if len(found) != 1:
            names = ", ".join(panel.name for panel in self.panels)
            raise ClockhandsError(
                f"{len(found)} panels are called {name}, but one must be: choose among {names}",
                f"名叫 {name} 的面板有 {len(found)} 个，但应当恰有一个：请在 {names} 中选择",
            )
        return found[0]

    def says(self, words: str) -> bool:
        """Whether the words are on the page, line breaks aside."""
        return words.replace(" ", "") in "".join(self.texts).replace(" ", "").replace("\n", "")


def record(picture: Picture) -> Record:
    """Read a picture's structure without rendering it."""
    from matplotlib.text import Text as Writing

    figure = picture.figure
    writings = [one for one in figure.findobj(Writing) if one.get_visible() and one.get_text()]
    fonts = sorted({family for one in writings for family in one.get_fontfamily()})
    width, height = figure.get_size_inches()
    return Record(
        (float(width), float(height)),
        tuple(_panel(axes) for axes in figure.axes),
        tuple(one.get_text() for one in writings),
        tuple(fonts),
    )


def boxes(picture: Picture) -> tuple[Box, ...]:
    """Where every text lies once the page is rendered."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text as Writing

    figure = picture.figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    found = []
    for one in figure.findobj(Writing):
        if one.get_visible() and one.get_text().strip() and _shown(one):
            extent = one.get_window_extent(canvas.get_renderer())
            found.append(Box(one.get_text(), extent.x0, extent.y0, extent.x1, extent.y1))
    return tuple(found)


def collisions(picture: Picture) -> list[str]:
    """Texts that lie on each other or leave the page, in words; empty where all can be read."""
    width, height = picture.figure.get_size_inches() * picture.figure.dpi
    placed = boxes(picture)
    found = [
        f"{box.text!r} leaves the page"
        for box in placed
        if box.left < -1 or box.bottom < -1 or box.right > width + 1 or box.top > height + 1
    ]
    for index, one in enumerate(placed):
        found += [f"{one.text!r} on {other.text!r}" for other in placed[index + 1 :] if one.overlaps(other)]
    return found


def _shown(writing: Any) -> bool:
    """Tick labels outside their axis' limits exist but are never drawn; their place is not a number."""
    return bool(np.isfinite(writing.get_position()).all())


def _panel(axes: Axes) -> Panel:
    from matplotlib.collections import PathCollection, PolyCollection

    return Panel(
        name=str(axes.get_label()),
        title=axes.get_title("left") or axes.get_title(),
        x_limits=axes.get_xlim(),
        y_limits=axes.get_ylim(),
        x_ticks=tuple(label.get_text() for label in axes.get_xticklabels()),
        y_ticks=tuple(label.get_text() for label in axes.get_yticklabels()),
        images=tuple(
            Image(_cells(image.get_array()), image.get_clim(), image.get_cmap().name) for image in axes.images
        ),
        lines=tuple(
            Line(
                np.asarray(line.get_xdata()),
                np.asarray(line.get_ydata()),
                line.get_color(),
                str(line.get_label()),
            )
            for line in axes.lines
        ),
        marks=tuple(
            np.asarray(group.get_offsets()) for group in axes.collections if isinstance(group, PathCollection)
        ),
        bands=sum(isinstance(group, PolyCollection) for group in axes.collections),
        shapes=len(axes.patches),
        texts=tuple(text.get_text() for text in axes.texts),
    )


def _cells(values: Any) -> NDArray[Any]:
    """What an image shows, NaN where it shows nothing."""
    return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
