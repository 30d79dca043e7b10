"""What the statistics accept: finite numbers, and enough of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.errors import ClockhandsError


def numbers(given: ArrayLike, *, least: int = 1, ndim: int = 1) -> NDArray[np.float64]:
    """``given`` as float64 of ``ndim`` dimensions; ClockhandsError if too few, or any is not finite.

    >>> numbers([1, 2]).tolist()
    [1.0, 2.0]
    """
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != ndim or len(values) < least or not values.size:
        raise ClockhandsError(
            f"the numbers have the shape {values.shape}: give {ndim} axes, {least} numbers or more",
            f"这些数的形状是 {values.shape}：请给出 {ndim} 维、不少于 {least} 个数",
        )
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise ClockhandsError(
            f"the numbers contain {bad}, but each must be finite: leave that seed out and say so",
            f"这些数中有 {bad}，而每个都必须是有限的数：请去掉那个种子并加以说明",
        )
    return values
