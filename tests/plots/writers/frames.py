"""Small frames to write: a square that moves, stands still for one frame, and comes back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

PALETTE = [250, 250, 245, 10, 20, 30, 200, 30, 30, *[0] * (253 * 3)]
PLACES = (0, 3, 3, 7, 1)


def frames(width: int = 31, height: int = 21, places: tuple[int, ...] = PLACES) -> Iterator[Image.Image]:
    """Pictures of mode ``P`` on one palette."""
    for place in places:
        pixels = np.zeros((height, width), dtype=np.uint8)
        pixels[4 + place : 9 + place, 5 + place : 10 + place] = 1
        pixels[0, 0] = 2
        picture = Image.fromarray(pixels).convert("P")
        picture.putpalette(PALETTE)
        yield picture


def as_rgb(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.convert("RGB"))
