"""Text in an SVG: letters where every viewer has them, outlines where some viewers would show boxes."""

from __future__ import annotations

import io
from typing import Any

from clockhands.language import Language
from clockhands.plots.fontfile import Face
from clockhands.plots.fonts import FontStack, fonts_for

_LAST_COMMON = 0x2BFF  # Latin, Greek, Cyrillic, punctuation, arrows, mathematical signs

_EMBOLDENED = 36
"""Width of the stroke around the outlines of bold text, in thousandths of the text size."""


def is_common(text: str) -> bool:
    """Whether the fonts of any viewer have every character."""
    return all(ord(character) <= _LAST_COMMON for character in text)


class Outlines:
    """Glyphs as paths, each defined once and used wherever it occurs."""

    def __init__(self, prefix: str, lang: Language, *texts: str):
        """``prefix`` starts the identifiers of the glyphs; ``texts`` hold every character to be placed."""
        self._prefix, self._texts = prefix, texts
        self._lang: Language = lang
        self._stack: FontStack | None = None
        self._names: dict[tuple[Face, str], str] = {}
        self._fonts: dict[Face, tuple[int, dict[int, str], Any]] = {}
        self.definitions: list[str] = []

    def placed(self, x: float, baseline: float, size: float, text: str, anchor: str, bold: bool) -> str:
        """The text as shapes that take the colour of the group they stand in.

        ``anchor`` is ``start``, ``middle`` or ``end``; ``bold`` thickens the strokes.

        Raises:
            MissingExtra: no font has the Chinese characters of the text.
        """
        glyphs = [(name, advance * size) for name, advance in self._glyphs(text)]
        width = sum(advance for _, advance in glyphs)
        pen = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        shapes: list[str] = []
        for name, advance in glyphs:
            if name:
                place = f"translate({pen:.2f} {baseline:.2f}) scale({size / 1000:.5f} {-size / 1000:.5f})"
                shapes.append(f'<use href="#{name}" transform="{place}"/>')
            pen += advance
        thick = f' stroke-width="{_EMBOLDENED}"' if bold else ""
        return f"<g{thick}>{''.join(shapes)}</g>"

    def _glyphs(self, text: str) -> list[tuple[str, float]]:
        """Identifier (empty for a space) and advance (in text sizes) of each character."""
        stack = self._stack = self._stack or fonts_for(*self._texts, lang=self._lang)
        glyphs: list[tuple[str, float]] = []
        for face, run in stack.runs(text):
            units, names, outlines = self._font(face)
            for character in run:
                glyph = outlines[names.get(ord(character), ".notdef")]
                name = self._defined(face, character, glyph, 1000 / units)
                glyphs.append((name, glyph.width / units))
        return glyphs

    def _defined(self, face: Face, character: str, glyph: Any, scale: float) -> str:
        from fontTools.pens.svgPathPen import SVGPathPen
        from fontTools.pens.transformPen import TransformPen

        if (face, character) not in self._names:
            pen = SVGPathPen(None, ntos=lambda value: f"{value:.0f}")
            glyph.draw(TransformPen(pen, (scale, 0, 0, scale, 0, 0)))
            name = f"{self._prefix}g{len(self._names)}" if pen.getCommands() else ""
            if name:
                self.definitions.append(f'<path id="{name}" d="{pen.getCommands()}"/>')
            self._names[face, character] = name
        return self._names[face, character]

    def _font(self, face: Face) -> tuple[int, dict[int, str], Any]:
        """Units of the em square, glyph names by code point, and the glyphs."""
        from fontTools.ttLib import TTFont

        if face not in self._fonts:
            content = io.BytesIO(face.path.read_bytes())  # a file would stay open as long as the font is used
            font: Any = TTFont(content, fontNumber=face.index, lazy=True)
            self._fonts[face] = (font["head"].unitsPerEm, font.getBestCmap(), font.getGlyphSet())
        return self._fonts[face]
