"""Text as marks on a canvas, in fonts that have its glyphs."""

from __future__ import annotations

from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from clockhands.plots.clock.canvas import Canvas, Marks
from clockhands.plots.fontfile import Face
from clockhands.plots.fonts import FontStack

Anchor = Literal["left", "middle", "right"]

_EMBOLDENED = 0.045
"""How far a regular face is thickened where bold is wanted, as a share of the text size."""


class Lettering:
    """Draws text of one size (pixels); ``bold`` thickens those faces of the stack that are not bold."""

    def __init__(self, stack: FontStack, size: float, bold: bool = False):
        self.stack, self.size, self.bold = stack, size, bold
        self._fonts: dict[Face, ImageFont.FreeTypeFont] = {}

    def _font(self, face: Face) -> ImageFont.FreeTypeFont:
        if face not in self._fonts:
            self._fonts[face] = ImageFont.truetype(str(face.path), self.size, index=face.index)
        return self._fonts[face]

    def width(self, text: str) -> float:
        """Advance of the text in pixels."""
        return sum(self._font(face).getlength(run) for face, run in self.stack.runs(text))

    def fitted(self, text: str, width: float) -> str:
        """The text, cut with an ellipsis so that it is no wider than ``width`` pixels."""
        text = text[: int(width)]  # no letter is narrower than a pixel; keeps huge texts cheap
        if self.width(text) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.width(text[:middle].rstrip() + "…") <= width:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + "…"

    def marks(self, canvas: Canvas, x: float, baseline: float, text: str, anchor: Anchor = "left") -> Marks:
        """The text with its anchor point at ``(x, baseline)``; what is off the page is cut."""
        runs = self.stack.runs(text)
        advances = [self._font(face).getlength(run) for face, run in runs]
        width = sum(advances)
        x -= {"left": 0.0, "middle": width / 2, "right": width}[anchor]
        margin = int(np.ceil(self.size))
        left, top = int(np.floor(x)) - margin, int(np.floor(baseline)) - 2 * margin
        mask = Image.new("L", (int(np.ceil(width)) + 2 * margin + 2, 3 * margin))
        draw, pen = ImageDraw.Draw(mask), x - left
        for (face, run), advance in zip(runs, advances, strict=True):
            font = self._font(face)
            thickened = self.bold and "Bold" not in face.path.stem
            for shift in (0.0, self.size * _EMBOLDENED) if thickened else (0.0,):
                draw.text((pen + shift, baseline - top), run, font=font, fill=255, anchor="ls")
            pen += advance
        return _placed(canvas, mask, left, top)


def _placed(canvas: Canvas, mask: Image.Image, left: int, top: int) -> Marks:
    coverage = np.asarray(mask)
    rows, columns = np.nonzero(coverage)
    y, x = rows + top, columns + left
    on = (x >= 0) & (x < canvas.width) & (y >= 0) & (y < canvas.height)
    shares = coverage[rows, columns][on].astype(np.float32) / np.float32(255)
    return Marks((y * canvas.width + x)[on], shares)


class Slot:
    """A place for a text that changes from frame to frame; its marks are kept until it does."""

    def __init__(
        self, canvas: Canvas, lettering: Lettering, x: float, baseline: float, anchor: Anchor = "left"
    ):
        self._canvas, self._lettering = canvas, lettering
        self._x, self._baseline = x, baseline
        self._anchor: Anchor = anchor
        self._text: str | None = None
        self._marks = Marks(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.float32))

    def lay(self, text: str, colour: str) -> None:
        self._canvas.lay(self.marks(text), colour)

    def marks(self, text: str) -> Marks:
        """Those of the text at this place."""
        if text != self._text:
            self._text = text
            self._marks = self._lettering.marks(self._canvas, self._x, self._baseline, text, self._anchor)
        return self._marks
