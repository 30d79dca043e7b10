"""What an analysis accepts: arrays checked once at the door, refused with one clear sentence."""

from __future__ import annotations

import operator
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.errors import ClockhandsError, nearest
from clockhands.language import Text

Floats = NDArray[np.float64]

FARTHEST = 2**52
"""Positions past this one are no longer told apart by float64 arithmetic (half positions included)."""


def numbers(given: ArrayLike, name: Text) -> Floats:
    """``given`` as float64, or ClockhandsError if it holds anything but real numbers."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biuf":
            raise TypeError(array.dtype)
        return array.astype(np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ClockhandsError(
            f"{name.en} can't be read as an array of real numbers: give a list or an array of int or float",
            f"{name.zh}无法读成实数数组：请给出由整数或浮点数组成的列表或数组",
        ) from error


def speeds(inv_freq: ArrayLike) -> Floats:
    """Angular speeds of the hands, ``(pairs,)``, rad / token: at least one, all finite."""
    name = Text("inv_freq", "角频率 inv_freq ")
    array = numbers(inv_freq, name)
    if array.ndim != 1 or array.size == 0:
        raise ClockhandsError(
            f"inv_freq has shape {array.shape}: give one angular speed per hand, a 1-D list in rad / token",
            f"角频率 inv_freq 的形状是 {array.shape}：请给一维列表，每根指针一个角频率（弧度 / 词元）",
        )
    _finite(array, name)
    return array


def rows(table: ArrayLike) -> Floats:
    """A positional table, ``(positions, width)``: at least one row and one column, all finite."""
    array = matrix(table)
    _finite(array, Text("the table", "位置表"))
    return array


def matrix(table: ArrayLike) -> Floats:
    """Like ``rows``, but NaN and infinity may stay (a verdict wants to find them itself)."""
    array = numbers(table, Text("the table", "位置表"))
    if array.ndim != 2 or array.size == 0:
        raise ClockhandsError(
            f"the table has shape {array.shape}: give one row per position and one column per dimension",
            f"位置表的形状是 {array.shape}：请给二维数组，每个位置一行，每个维度一列",
        )
    return array


def places(positions: ArrayLike) -> Floats:
    """Positions or distances, ``(n,)``, tokens: any finite numbers up to ``FARTHEST`` either side of zero."""
    name = Text("positions", "位置")
    array = numbers(positions, name)
    if array.ndim != 1:
        raise ClockhandsError(
            f"positions have shape {array.shape}: give a 1-D list",
            f"位置的形状是 {array.shape}：请给一维列表",
        )
    _finite(array, name)
    if array.size and max(-float(array.min()), float(array.max())) > FARTHEST:
        far = array[np.abs(array).argmax()]
        raise ClockhandsError(
            f"position {far:g} is out of reach: stay within 2^52 either side of zero",
            f"位置 {far:g} 太远：绝对值请不要超过 2^52",
        )
    return array


def count(given: Any, name: Text, least: int = 1, most: int = FARTHEST) -> int:
    """A whole number from ``least`` to ``most``, or ClockhandsError."""
    try:
        number = operator.index(given)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ClockhandsError(
            f"{name.en} is {given}: use a whole number from {least:,} to {most:,}",
            f"{name.zh}为 {given}：请用 {least} 到 {most} 之间的整数",
        )
    return number


def choice(given: str, known: Collection[str], name: Text) -> str:
    """``given`` if it is one of ``known``, or ClockhandsError with the nearest."""
    if given not in known:
        hint = nearest(str(given), known)
        raise ClockhandsError(
            f"{name.en} '{given}' is not known: {hint.en}", f"{name.zh}“{given}”不存在：{hint.zh}"
        )
    return given


def _finite(array: Floats, name: Text) -> None:
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        place = where[0] if len(where) == 1 else where
        raise ClockhandsError(
            f"{name.en} at index {place} is {array[where]}: all numbers must be finite",
            f"{name.zh}在下标 {place} 处是 {array[where]}：所有数都必须是有限值",
        )
