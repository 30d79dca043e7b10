"""An animated SVG page: shapes that turn for ever at exact speeds, readable where nothing may move.

Every turning shape is written once and shown twice: in motion, and standing still at the last position for
readers who ask for reduced motion. Programs that draw SVG without animating it show the first position.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from clockhands.language import Text
from clockhands.plots.clock.layout import Point, Settings, layout
from clockhands.plots.clock.strokes import tip
from clockhands.plots.clock.svg_text import Outlines, is_common
from clockhands.plots.clock.wording import vocabulary
from clockhands.plots.fonts import visible
from clockhands.plots.style import INK, PAGE, QUIET
from clockhands.plots.wording import display_width

_FAMILIES = "'DejaVu Sans', Verdana, system-ui, sans-serif"
_MOST_COUNTS = 500
_MARK = "\0"
"""Stands for the picture's own mark until the document is whole. Identifiers are global in a page that holds
several pictures, so each carries a mark made from all of its document; no text can hold this character."""


class Motion(NamedTuple):
    """Which positions are shown, and how fast; the page goes through ``tokens`` tokens and starts again."""

    positions: range
    steps_per_second: float
    loop: bool = True

    @property
    def tokens(self) -> int:
        return len(self.positions) * self.positions.step

    @property
    def seconds(self) -> float:
        return len(self.positions) / self.steps_per_second

    @property
    def repeat(self) -> str:
        times = "indefinite" if self.loop else "1"
        return f'dur="{number(self.seconds)}s" repeatCount="{times}" fill="freeze"'


class SvgPage:
    """Collects shapes; ``finished()`` is the document."""

    def __init__(self, settings: Settings, motion: Motion, says: Callable[[float], Text]):
        """``says`` words a position; it is written first on the title line."""
        self.settings, self.motion, self.places = settings, motion, layout(settings)
        self._says = says
        self._defs: list[str] = []
        self._shapes: list[str] = []
        self._outlines = Outlines(_MARK, settings.lang, settings.subtitle, vocabulary(settings.lang))
        self._write_head()

    def add(self, shape: str) -> None:
        """A shape that stands still."""
        self._shapes.append(shape)

    def text(
        self, x: float, baseline: float, size: float, text: str, colour: str = QUIET, anchor: str = "start"
    ) -> None:
        """A line of text; ``anchor`` is ``start``, ``middle`` or ``end``."""
        self.add(f'<g fill="{colour}">{self._written(x, baseline, size, text, anchor)}</g>')

    def _written(
        self, x: float, baseline: float, size: float, text: str, anchor: str = "start", bold: bool = False
    ) -> str:
        if not is_common(text):
            return self._outlines.placed(x, baseline, size, text, anchor, bold)
        weight = ' font-weight="bold"' if bold else ""
        return (
            f'<text x="{number(x)}" y="{number(baseline)}" font-size="{number(size)}"{weight}'
            f' text-anchor="{anchor}">{written(text)}</text>'
        )

    def turning(self, shapes: str, centre: Point, *, start: float, end: float, still: float) -> None:
        """``shapes``, drawn as at angle 0, turning around ``centre`` from ``start`` to ``end`` (rad).

        ``still`` is the angle shown where nothing may move.
        """
        name = f"{_MARK}-{len(self._defs)}"
        self._defs.append(f'<g id="{name}">{shapes}</g>')
        around = f"{number(centre[0])} {number(centre[1])}"
        first, last, rest = (f"{degrees(angle)} {around}" for angle in (start, end, still))
        self.add(
            f'<use href="#{name}" class="{_MARK}m" transform="rotate({first})">'
            f'<animateTransform attributeName="transform" type="rotate" from="{first}" to="{last}"'
            f" {self.motion.repeat}/></use>"
            f'<use href="#{name}" class="{_MARK}s" display="none" transform="rotate({rest})"/>'
        )

    def finished(self) -> str:
        """The whole document."""
        width, height = self.settings.size
        lang = "zh-CN" if self.settings.lang == "zh" else "en"
        about = f"{self._says(self.motion.positions[0]).said_in(self.settings.lang)} … {self._last_words()}"
        rules = (
            f"@media (prefers-reduced-motion:reduce){{.{_MARK}m{{display:none}}.{_MARK}s{{display:inline}}}}"
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" xml:lang="{lang}" font-family={quoteattr(_FAMILIES)}>'
            f"<title>{written(about)}</title><desc>{written(self.settings.subtitle)}</desc>"
            f"<style>{rules}</style><defs>{''.join((*self._outlines.definitions, *self._defs))}</defs>"
            f'<rect width="{width}" height="{height}" fill="{PAGE}"/>'
        )
        document = head + "\n".join(self._shapes) + "</svg>\n"
        return document.replace(_MARK, f"c{zlib.crc32(document.encode()):08x}")

    def _last_words(self) -> str:
        return self._says(self.motion.positions[-1]).said_in(self.settings.lang)

    def _write_head(self) -> None:
        places, motion = self.places, self.motion
        stride = math.ceil(len(motion.positions) / _MOST_COUNTS)
        shown = motion.positions[::stride]
        for i, position in enumerate(shown):
            words = self._says(position).said_in(self.settings.lang)
            begin = i * stride / len(motion.positions)
            end = min((i + 1) * stride / len(motion.positions), 1.0)
            self._title(words, "m", self._visible_between(begin, end))
        self._title(self._last_words(), "s", "")
        longest = max((self._says(position).said_in(self.settings.lang) for position in shown), key=len)
        # No font is measured here: widths are those of a wide Latin face, two columns a Chinese character.
        start = places.left + places.title_size * (0.72 * display_width(longest) + 1)
        room = int((self.settings.size[0] - places.left - start) / (0.56 * places.subtitle_size))
        subtitle = self.settings.subtitle
        if display_width(subtitle) > room:
            subtitle = subtitle[: max(room - 1, 0)] + "…"
        self.text(start, places.baseline, places.subtitle_size, subtitle)

    def _title(self, words: str, kind: str, animation: str) -> None:
        places = self.places
        hidden = ' visibility="hidden"' if "hidden;visible" in animation else ""
        still = ' display="none"' if kind == "s" else ""
        text = self._written(places.left, places.baseline, places.title_size, words, bold=True)
        colour = f'fill="{INK}" stroke="{INK}" stroke-width="0"'
        self.add(f'<g class="{_MARK}{kind}"{still}{hidden} {colour}>{text}{animation}</g>')

    def _visible_between(self, begin: float, end: float) -> str:
        """Shown from ``begin`` to ``end``, shares of the whole."""
        steps = [(0.0, "visible" if begin == 0 else "hidden")]
        if begin > 0:
            steps.append((begin, "visible"))
        if end < 1:
            steps.append((end, "hidden"))
        times, values = ";".join(number(at) for at, _ in steps), ";".join(value for _, value in steps)
        return (
            f'<animate attributeName="visibility" calcMode="discrete" values="{values}" keyTimes="{times}"'
            f" {self.motion.repeat}/>"
        )


def line_of(start: Point, end: Point, colour: str, width: float, opacity: float = 1.0) -> str:
    """A straight line with round ends."""
    shown = f' opacity="{number(opacity)}"' if opacity < 1 else ""
    return (
        f'<line x1="{number(start[0])}" y1="{number(start[1])}" x2="{number(end[0])}" y2="{number(end[1])}"'
        f' stroke="{colour}" stroke-width="{number(width)}" stroke-linecap="round"{shown}/>'
    )


def circle_of(centre: Point, radius: float, fill: str, stroke: str = "none", width: float = 0.0) -> str:
    """A circle, filled, outlined, or both."""
    return (
        f'<circle cx="{number(centre[0])}" cy="{number(centre[1])}" r="{number(radius)}" fill="{fill}"'
        f' stroke="{stroke}" stroke-width="{number(width)}"/>'
    )


def arc_of(
    centre: Point, radius: float, start: float, end: float, colour: str, width: float, opacity: float = 1.0
) -> str:
    """Part of a circle, clockwise from ``start`` to ``end`` (rad, less than a turn)."""
    path = _arc(centre, radius, start, end)
    shown = f'stroke="{colour}" stroke-width="{number(width)}" opacity="{number(opacity)}"'
    return f'<path d="M{path}" fill="none" {shown}/>'


def sector_of(centre: Point, radius: float, start: float, end: float, colour: str, opacity: float) -> str:
    """A slice, clockwise from ``start`` to ``end`` (rad, less than a turn)."""
    path = f"M{number(centre[0])} {number(centre[1])}L{_arc(centre, radius, start, end)}Z"
    return f'<path d="{path}" fill="{colour}" opacity="{number(opacity)}"/>'


def _arc(centre: Point, radius: float, start: float, end: float) -> str:
    """Path data from the first point of an arc to its last."""
    (x0, y0), (x1, y1) = tip(centre, radius, start), tip(centre, radius, end)
    large, size = int(end - start > np.pi), number(radius)
    return f"{number(x0)} {number(y0)}A{size} {size} 0 {large} 1 {number(x1)} {number(y1)}"


def text_room(size: float, *texts: Sequence[str]) -> tuple[float, float]:
    """Width of the widest text, guessed as no font is at hand, and the height a line takes."""
    widest = max(display_width(text) for group in texts for text in group)
    return 0.62 * size * widest, 1.8 * size


def hexadecimal(colour: np.ndarray) -> str:
    """``#rrggbb`` of three numbers 0 … 255."""
    return "#" + "".join(f"{round(float(channel)):02x}" for channel in colour)


def number(value: float) -> str:
    """Short, and exact to a millionth."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def degrees(angle: float) -> str:
    """An angle in rad as degrees, exact to a millionth of a degree over any number of turns."""
    return number(math.degrees(angle))


def written(text: str) -> str:
    """Text as XML content: markup escaped, characters that XML forbids made visible."""
    return escape(visible(text))
