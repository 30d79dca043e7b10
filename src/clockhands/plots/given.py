"""What a plot accepts: a result with named axes, or a plain array that gets them here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.axes import TOKENS
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text

POSITION = Text("position", "位置")
DIMENSION = Text("dimension", "维度")
DISTANCE = Text("distance", "距离")
HEAD = Text("head", "注意力头")
LAYER = Text("layer", "层")

LARGEST = 1e100
"""The largest number that can be drawn: near the end of float64 an axis from minus to plus it overflows."""


def labelled(given: Labelled | ArrayLike, id: str, name: Text, axes: Sequence[Text]) -> Labelled:
    """``given`` as a Labelled with one axis per name in ``axes``; plain arrays are numbered from 0.

    ClockhandsError: another number of dimensions, nothing in it, values that are not real numbers, or
    finite ones larger than ``LARGEST`` either side of zero.
    """
    values = _numbers(given.values if isinstance(given, Labelled) else given)
    if values.ndim != len(axes) or values.size == 0:
        en, zh = ", ".join(axis.en for axis in axes), "、".join(axis.zh for axis in axes)
        raise ClockhandsError(
            f"the array has shape {values.shape}: give {len(axes)} dimensions ({en}), none of them empty",
            f"数组的形状是 {values.shape}：请给出 {len(axes)} 维数组（{zh}），且各维都不为空",
        )
    _require_drawable(values)
    if isinstance(given, Labelled):
        return given
    counted = (TOKENS if axis in (POSITION, DISTANCE) else Text("", "") for axis in axes)
    return Labelled(
        id,
        name,
        values,
        tuple(
            Axis(axis, np.arange(length), unit)
            for axis, length, unit in zip(axes, values.shape, counted, strict=True)
        ),
    )


def _numbers(given: Any) -> NDArray[Any]:
    try:
        values = np.asarray(given)
    except (ValueError, TypeError, RuntimeError) as error:
        raise _not_numbers("?") from error
    if values.dtype.kind not in "biuf":
        raise _not_numbers(str(values.dtype))
    return values


def _require_drawable(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f" or values.dtype.itemsize < 8:
        return  # narrower ones end before LARGEST, which they can't even be compared with
    huge = np.isfinite(values) & ((values > LARGEST) | (values < -LARGEST))
    if huge.any():
        raise ClockhandsError(
            f"the array has {values[huge][0]:g} in it, but no number past {LARGEST:g} can be drawn: "
            "scale the numbers down",
            f"数组里有 {values[huge][0]:g}，而大小超过 {LARGEST:g} 的数画不出来：请把这些数缩小",
        )


def _not_numbers(kind: str) -> ClockhandsError:
    return ClockhandsError(
        f"the array holds {kind}: give real numbers, an array of int or float",
        f"数组的类型是 {kind}：请给出由整数或浮点数组成的数组",
    )
