"""One fixed palette for all frames of a clock: no frame is ever quantised, and only what moves is encoded."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from clockhands.plots.style import INK, PAGE, PANEL, QUIET, RULE, hand_colours, mixed, rgb

TRANSPARENT = 255
"""The index that no frame uses: animation formats mark unchanged pixels with it."""

PIXEL = np.dtype("<u4")
"""A pixel in memory: red, green, blue, and a byte that is not used."""

_MOST_HAND_COLOURS = 24
_MOST_SHARES = 16
SECTOR_OPACITY = 0.16
"""Of the tint between twelve and a hand on a small clock."""


class Palette:
    """Up to 255 colours. Pixels are matched by cells of the colour cube, 32 a side, each searched once."""

    def __init__(self, colours: NDArray[np.float64]):
        """``colours`` (colours, 3), 0 … 255; where two share a cell the earlier is what its pixels become."""
        rounded = np.rint(colours).astype(np.uint8)
        _, first = np.unique(rounded, axis=0, return_index=True)
        self.colours = rounded[np.sort(first)]
        if len(self.colours) > TRANSPARENT:
            raise ValueError(f"{len(self.colours)} colours do not fit beside the transparent one")
        self._of_cell = np.full(32**3, -1, dtype=np.int16)
        own = self.colours[::-1].astype(np.uint32) >> 3
        self._of_cell[own[:, 0] | own[:, 1] << 5 | own[:, 2] << 10] = np.arange(len(own))[::-1]

    def nearest(self, pixels: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Index of the nearest colour for each of the packed pixels, to within half a cell."""
        cell = pixels >> 3 & 0x1F | pixels >> 6 & 0x3E0 | pixels >> 9 & 0x7C00
        indices = self._of_cell.take(cell)
        if indices.size and indices.min() < 0:
            new = np.unique(cell[indices < 0])
            centres = np.stack([new & 31, new >> 5 & 31, new >> 10], axis=1).astype(np.float64) * 8 + 4
            apart = ((centres[:, None] - self.colours.astype(np.float64)) ** 2).sum(axis=2)
            self._of_cell[new] = apart.argmin(axis=1)
            indices = self._of_cell.take(cell)
        return indices.astype(np.uint8)

    def bytes(self) -> bytes:
        """256 × RGB, padded with the last colour."""
        padded = np.concatenate([self.colours, np.repeat(self.colours[-1:], 256 - len(self.colours), axis=0)])
        return padded.tobytes()


def packed(colour: tuple[int, int, int]) -> int:
    """A colour as one number, the way ``PIXEL`` holds it."""
    return colour[0] | colour[1] << 8 | colour[2] << 16


def clock_palette(hands: int) -> Palette:
    """Page, panel, greys of text and rules, and every hand's colour with its paler steps."""
    page, panel = _column(PAGE), _column(PANEL)
    hand = hand_colours(min(hands, _MOST_HAND_COLOURS))
    fixed = [
        page,
        panel,
        *_ramp(INK, page, 11),
        *_ramp(QUIET, page, 7),
        *_ramp(RULE, page, 4),
        *_ramp(RULE, panel, 3),
        mixed(hand, panel, SECTOR_OPACITY),
    ]
    room = (TRANSPARENT - sum(map(len, fixed))) // len(hand)
    shares = (
        np.linspace(0, 1, min(room, _MOST_SHARES) + 1)[1:] ** 1.3
    )  # eyes see small steps best near the page
    return Palette(np.concatenate([*fixed, *(mixed(hand, page, share) for share in shares)]))


def _column(colour: str) -> NDArray[np.float64]:
    return np.array([rgb(colour)], dtype=np.float64)


def _ramp(colour: str, ground: NDArray[np.float64], steps: int) -> Iterable[NDArray[np.float64]]:
    return (mixed(_column(colour), ground, step / steps) for step in range(1, steps + 1))
