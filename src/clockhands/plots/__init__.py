"""Pictures: labelled numbers in, a still ``Picture`` or a moving ``Animation`` out, in English or Chinese.

Each has ``save`` and carries exactly the numbers it shows as ``data``. matplotlib is loaded when the first
still picture is drawn; the clock needs Pillow alone.
"""

from clockhands.plots.attention import attention
from clockhands.plots.bias import bias
from clockhands.plots.card import card
from clockhands.plots.clock import Animation, clock, relative_clock
from clockhands.plots.curves import curves
from clockhands.plots.dimensions import bought, dimensions
from clockhands.plots.distance import distance
from clockhands.plots.distance_map import distance_map
from clockhands.plots.four_terms import four_terms
from clockhands.plots.hand_directions import hand_directions
from clockhands.plots.heatmap import heatmap
from clockhands.plots.kernel import kernel
from clockhands.plots.long_range import long_range, told_apart
from clockhands.plots.overview import overview
from clockhands.plots.picture import Picture
from clockhands.plots.relative import relative
from clockhands.plots.similarity import similarity
from clockhands.plots.spectrum import spectrum
from clockhands.plots.verdict import verdict

__all__ = [
    "Animation",
    "Picture",
    "attention",
    "bias",
    "bought",
    "card",
    "clock",
    "curves",
    "dimensions",
    "distance",
    "distance_map",
    "four_terms",
    "hand_directions",
    "heatmap",
    "kernel",
    "long_range",
    "overview",
    "relative",
    "relative_clock",
    "similarity",
    "spectrum",
    "told_apart",
    "verdict",
]
