"""Puts the parts of a clock picture on one page and draws it position by position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from PIL import Image

from clockhands.plots.clock.bands import Bands
from clockhands.plots.clock.canvas import Canvas
from clockhands.plots.clock.dial import Dial, lay_quarters
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.header import Header
from clockhands.plots.clock.layout import MOST_DIALS, Layout, Settings, layout
from clockhands.plots.clock.lettering import Lettering
from clockhands.plots.clock.palette import Palette, clock_palette
from clockhands.plots.clock.polar import PolarMap
from clockhands.plots.clock.wall import Wall
from clockhands.plots.clock.wording import position_title, vocabulary
from clockhands.plots.fonts import fonts_for
from clockhands.plots.style import PAGE


class Part(Protocol):
    """Something on the page that changes with the position; what never changes it lays when it is made."""

    def draw(self, position: float) -> None: ...


class Painter:
    """Draws one position after the other on the same canvas."""

    def __init__(self, canvas: Canvas, parts: Iterable[Part], palette: Palette):
        self._canvas, self._parts = canvas, tuple(parts)
        self._canvas.freeze(palette)

    def frame(self, position: float) -> Image.Image:
        """A picture of mode ``P``; every frame of a painter has the same palette."""
        self._canvas.clear()
        for part in self._parts:
            part.draw(position)
        return self._canvas.image()


class Letterings:
    """The text sizes of a picture, in fonts that have every character it will show."""

    def __init__(self, settings: Settings, places: Layout):
        lang = settings.lang
        words = (settings.subtitle, vocabulary(lang))
        regular = fonts_for(*words, lang=lang)
        self.title = Lettering(fonts_for(*words, lang=lang, bold=True), places.title_size, bold=True)
        self.subtitle = Lettering(regular, places.subtitle_size)
        self.quarter = Lettering(regular, places.quarter_size)
        self.label = Lettering(regular, places.label_size)
        self.small = Lettering(regular, places.small_size)


def clock_painter(hands: Hands, settings: Settings, widest: float) -> Painter:
    """A painter of all hands; ``widest`` is the position with the most digits that will be drawn."""
    canvas = Canvas(*settings.size, PAGE)
    return Painter(canvas, list(_parts(canvas, hands, settings, widest)), clock_palette(hands.count))


def _parts(canvas: Canvas, hands: Hands, settings: Settings, widest: float) -> Iterator[Part]:
    places, lang = layout(settings), settings.lang
    write = Letterings(settings, places)
    many = hands.count > MOST_DIALS
    yield Header(canvas, write.title, write.subtitle, places, settings, position_title, widest)
    lay_quarters(canvas, places.dial, write.quarter)
    if many:
        yield PolarMap(canvas, hands, places.dial, settings.trail, write.small)
    else:
        on_rings = None if settings.wall else write.small
        yield Dial(canvas, hands, places.dial, settings.trail, on_rings)
    if places.beside:
        beside = Bands if many else Wall
        yield beside(canvas, hands, places.beside, write.label, lang, places.unit)
