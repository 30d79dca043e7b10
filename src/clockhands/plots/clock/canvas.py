"""A page of pixels that anti-aliased marks are laid on, and taken off again before the next frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from clockhands.plots.clock.palette import PIXEL, Palette, packed
from clockhands.plots.style import rgb


class Marks(NamedTuple):
    """Pixels (flat index into the page) and how much of each is covered, 0 … 1."""

    pixels: NDArray[np.intp]
    coverage: NDArray[np.float32]

    def scaled(self, share: float) -> Marks:
        return Marks(self.pixels, self.coverage * np.float32(share))


def joined(*marks: Marks) -> Marks:
    """Marks that overlap nowhere, as one."""
    return Marks(np.concatenate([m.pixels for m in marks]), np.concatenate([m.coverage for m in marks]))


class Canvas:
    """A page in RGB. What is laid before ``freeze`` stays; what is laid after is undone by ``clear``."""

    def __init__(self, width: int, height: int, page: str):
        self.width, self.height = width, height
        self._page = np.full(width * height, packed(rgb(page)), dtype=PIXEL)
        self._frozen = self._page
        self._palette: Palette | None = None
        self._indices = np.zeros(0, dtype=np.uint8)
        self._laid: list[NDArray[np.intp]] = []  # pixels that may differ from the frozen ground

    def lay(self, marks: Marks, colour: NDArray[np.float64] | str, opacity: float = 1.0) -> None:
        """Blend ``colour``, one (3,) or one per pixel (pixels, 3), over the page; pixels must not repeat."""
        wanted = np.asarray(rgb(colour) if isinstance(colour, str) else colour, dtype=np.float32)
        share = (marks.coverage * np.float32(opacity))[:, None]
        pixels = self._page.take(marks.pixels)
        channels = pixels.view(np.uint8).reshape(-1, 4)[:, :3]
        channels[...] = channels + (wanted - channels) * share + np.float32(0.5)
        self._page[marks.pixels] = pixels
        self._laid.append(marks.pixels)

    def freeze(self, palette: Palette) -> None:
        """Keep what is there as the ground of all frames, shown in the colours of ``palette``."""
        self._frozen = self._page.copy()
        self._palette = palette
        self._indices = palette.nearest(self._frozen)
        self._laid.clear()

    def clear(self) -> None:
        """Back to the frozen ground."""
        for pixels in self._laid:
            self._page[pixels] = self._frozen.take(pixels)
        self._laid.clear()

    def image(self) -> Image.Image:
        """The page as a picture of mode ``P`` on the palette; later drawing does not change it."""
        if self._palette is None:
            raise RuntimeError("freeze the canvas before asking for its image")
        indices = self._indices.copy()
        if self._laid:
            changed = np.concatenate(self._laid)
            indices[changed] = self._palette.nearest(self._page.take(changed))
        picture = Image.frombytes("P", (self.width, self.height), indices.tobytes())
        picture.putpalette(self._palette.bytes())
        return picture
