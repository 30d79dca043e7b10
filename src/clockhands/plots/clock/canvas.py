"""A page of pixels that anti-aliased marks are laid on, and taken off again before the next frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from clockhands.plots.clock.palette import PIXEL, Palette, packed
from clockhands.plots.style import rgb


class Marks(NamedTuple):
    """Pixels (flat index into the page) and how much of each is covered, 0 … 1."""

    pixels: NDArray[np.intp]
    coverage: NDArray[np.float32]


def joined(marks: Sequence[Marks]) -> tuple[Marks, NDArray[np.intp]]:
    """Marks as one, and which of them each pixel belongs to."""
    owner = np.repeat(np.arange(len(marks)), [len(m.pixels) for m in marks])
    pixels, coverage = (np.concatenate(parts) for parts in zip(*marks, strict=True))
    return Marks(pixels, coverage), owner


def _four(colour: ArrayLike) -> NDArray[np.float32]:
    """A colour or several with the byte of ``PIXEL`` that is not used: whole pixels are blended faster."""
    three = np.asarray(colour)
    four = np.zeros((*three.shape[:-1], 4), dtype=np.float32)
    four[..., :3] = three
    return four


class Canvas:
    """A page in RGB. What is laid before ``freeze`` stays; what is laid after is undone by ``clear``."""

    def __init__(self, width: int, height: int, page: str):
        self.width, self.height = width, height
        self._page = np.full(width * height, packed(rgb(page)), dtype=PIXEL)
        self._frozen = self._page
        self._palette: Palette | None = None
        self._indices = np.zeros(0, dtype=np.uint8)
        self._laid: list[NDArray[np.intp]] = []  # pixels that may differ from the frozen ground
        self._seen = np.zeros(width * height, dtype=np.int32)  # room to find pixels that repeat

    def lay(self, marks: Marks, colour: NDArray[np.float64] | str, opacity: float = 1.0) -> None:
        """Blend ``colour``, one (3,) or one per pixel (pixels, 3), over the page; pixels must not repeat."""
        wanted = rgb(colour) if isinstance(colour, str) else colour
        self._blend(marks.pixels, marks.coverage * np.float32(opacity), _four(wanted))

    def lay_in_turn(
        self, marks: Marks, colour: NDArray[np.float64] | str, opacity: float | NDArray[np.float32] = 1.0
    ) -> None:
        """``lay`` for pixels that repeat: what comes later lies over what came before.

        It gives what laying mark by mark gives, in as many blends as there are marks on one pixel.
        """
        pixels, share = marks.pixels, marks.coverage * np.float32(opacity)
        wanted = np.broadcast_to(_four(rgb(colour) if isinstance(colour, str) else colour), (len(pixels), 4))
        while len(pixels):
            first = self.first_of(pixels)
            self._blend(pixels[first], share[first], wanted[first])
            pixels, share, wanted = pixels[~first], share[~first], wanted[~first]

    def first_of(self, pixels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which are the first of their kind; all are where no pixel repeats."""
        order = np.arange(len(pixels), dtype=np.int32)
        self._seen[pixels[::-1]] = order[::-1]  # of several writes to one place numpy keeps the last
        return self._seen.take(pixels) == order

    def _blend(
        self, pixels: NDArray[np.intp], share: NDArray[np.float32], wanted: NDArray[np.float32]
    ) -> None:
        there = self._page.take(pixels)
        blended = there.view(np.uint8).reshape(-1, 4).astype(np.float32)
        step = wanted - blended
        step *= share[:, None]
        blended += step
        blended += np.float32(0.5)
        self._page[pixels] = blended.astype(np.uint8).view(PIXEL)[:, 0]
        self._laid.append(pixels)

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
