"""One look for every picture: a warm white page, calm greys, colours that the colour-blind can tell apart.

Plain data: importing this imports neither matplotlib nor Pillow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PAGE = "#fbfaf7"
"""Background of every picture."""
PANEL = "#ffffff"
"""Background inside a dial or a set of axes that should stand out from the page."""
INK = "#2b2a27"
"""Titles and what must be read first."""
QUIET = "#6b6963"
"""Labels, ticks, subtitles: 5.2 : 1 against the page."""
RULE = "#d9d5cc"
"""Rings, grids, frames."""

SEQUENTIAL = "viridis"
"""Matplotlib colour map for weights, 0 … 1."""
DIVERGING = "RdBu_r"
"""Colour map for signed data; draw it with limits symmetric around zero."""
NO_DATA = "#e7e4dc"
"""Cells that a mask forbids or that hold nothing."""

CATEGORIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b5b")
"""Line colours for unordered things, after Okabe and Ito (2008), in the order to use them."""

TITLE_SIZE, LABEL_SIZE, SMALL_SIZE = 14.0, 10.0, 8.5
"""Text sizes in points, at 100 dots an inch."""
DPI = 100

# Viridis without its last, palest tenth (it fades into a light page), at equal steps.
_HAND_STOPS = (
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e",
    "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26",
)  # fmt: skip


def rgb(colour: str) -> tuple[int, int, int]:
    """``#rrggbb`` as three numbers 0 … 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def hand_colours(count: int) -> NDArray[np.float64]:
    """Colours of hands from fast (violet) to slow (lime), ``(count, 3)``, 0 … 255; one hand is teal-blue."""
    stops = np.array([rgb(stop) for stop in _HAND_STOPS], dtype=np.float64)
    places = np.linspace(0, len(stops) - 1, count) if count > 1 else np.array([3.0])
    return np.stack([np.interp(places, np.arange(len(stops)), stops[:, c]) for c in range(3)], axis=1)


_LEAST_CONTRAST = 4.5
"""Of small text and its page, after WCAG 2.2, success criterion 1.4.3."""


def legible(colour: Any) -> str:
    """The colour, darkened no further than text in it needs to stand out from the page: ``#rrggbb``.

    >>> legible("#440154"), legible("#bddf26")
    ('#440154', '#687b15')
    """
    from matplotlib.colors import to_hex, to_rgb

    own = np.array(to_rgb(colour))
    page = _luminance(np.array(rgb(PAGE)) / 255)
    for share in np.linspace(1, 0, 101):
        if (page + 0.05) / (_luminance(share * own) + 0.05) >= _LEAST_CONTRAST:
            return to_hex(share * own)
    return INK


def _luminance(colour: NDArray[np.float64]) -> float:
    """Relative luminance of sRGB, 0 … 1, after WCAG 2.2."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def mixed(colour: NDArray[np.float64], other: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """``share`` of ``colour`` laid over ``other``, both ``(..., 3)``: what opacity would show."""
    return other + share * (colour - other)


def matplotlib_settings(families: list[str]) -> dict[str, Any]:
    """Settings for ``matplotlib.rc_context`` that give a figure this look, drawn in ``families``."""
    return {
        "font.family": families,
        "font.size": LABEL_SIZE,
        "axes.titlesize": TITLE_SIZE,
        "axes.titleweight": "normal",  # Chinese fonts often come in one weight, and matplotlib warns
        "axes.titlelocation": "left",
        "axes.titlecolor": INK,
        "axes.labelsize": LABEL_SIZE,
        "axes.labelcolor": QUIET,
        "axes.edgecolor": RULE,
        "axes.facecolor": PAGE,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.unicode_minus": True,
        "figure.facecolor": PAGE,
        "figure.dpi": DPI,
        "savefig.dpi": DPI,
        "savefig.facecolor": PAGE,
        "grid.color": RULE,
        "grid.linewidth": 0.6,
        "image.cmap": SEQUENTIAL,
        "image.interpolation": "nearest",
        "legend.frameon": False,
        "legend.fontsize": SMALL_SIZE,
        "legend.labelcolor": QUIET,
        "lines.linewidth": 1.6,
        "patch.edgecolor": "none",
        "text.color": INK,
        "text.parse_math": False,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "xtick.labelsize": SMALL_SIZE,
        "ytick.labelsize": SMALL_SIZE,
        "xtick.major.width": 0.8,
        "ytick.major.width": 0.8,
    }
