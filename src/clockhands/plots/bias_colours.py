"""Colours of a bias: zero is white, and heads that differ a hundredfold are all seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.plots import style
from clockhands.plots.numerals import round_ticks
from clockhands.plots.scales import symmetric_limit

_FAR_APART = 8.0


@dataclass(frozen=True)
class Colours:
    """A scale from ``low`` to ``high``, one of which is 0 where all numbers have one sign.

    cube_root  a colour's strength follows the cube root of a number's size
    """

    low: float
    high: float
    cube_root: bool

    @property
    def norm(self) -> Any:
        from matplotlib.colors import FuncNorm, Normalize

        if self.cube_root:
            return FuncNorm((np.cbrt, _cubed), vmin=self.low, vmax=self.high)
        return Normalize(self.low, self.high)

    @property
    def map(self) -> Any:
        """The diverging map, or the half of it that the numbers need."""
        from matplotlib import colormaps
        from matplotlib.colors import LinearSegmentedColormap

        whole = colormaps[style.DIVERGING]
        start, stop = (0.5 if self.low == 0 else 0.0), (0.5 if self.high == 0 else 1.0)
        return LinearSegmentedColormap.from_list("bias", whole(np.linspace(start, stop, 257)), N=513)

    def ticks(self) -> list[float]:
        """Round numbers; where sizes follow the cube root, the ends, zero and powers of ten between."""
        if not self.cube_root:
            return round_ticks(self.low, self.high, 5)
        size = max(self.high, -self.low)
        powers = [p for p in 10.0 ** np.arange(-12, 13) if size / 200 <= p < size / 2]
        sizes = [size, *powers]
        ahead = sizes if self.high > 0 else []
        behind = sizes if self.low < 0 else []
        return sorted([0.0, *ahead, *(-each for each in behind)])


def colours_of(maps: Sequence[NDArray[np.float64]]) -> Colours:
    """One scale for all maps: around zero, or from zero on where no number lies on the other side.

    The cube root is taken where the strongest map is more than eight times as strong as the weakest that
    is not zero: on a plain scale the weakest would look empty.
    """
    limit = symmetric_limit(*maps)
    finite = np.concatenate([each[np.isfinite(each)] for each in maps])
    strengths = [float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in maps]
    seen = [strength for strength in strengths if strength > 0]
    is_wide = bool(seen) and max(seen) > _FAR_APART * min(seen)
    negative, positive = bool((finite < 0).any()), bool((finite > 0).any())
    return Colours(
        0.0 if positive and not negative else -limit, 0.0 if negative and not positive else limit, is_wide
    )


def _cubed(values: Any) -> Any:
    return np.asarray(values) ** 3
