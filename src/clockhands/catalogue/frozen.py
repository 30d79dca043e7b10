"""An array that is a value: it can't change, and equal numbers make equal objects."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.reading import READABLE, checked, read_array, require_moderate
from clockhands.errors import BadParameter, ClockhandsError, shown
from clockhands.language import Text

Numbers = Any
"""One's own numbers: an array, nested lists, or the path of a file that ``read_array`` reads."""

LARGEST_NUMBER = 1e30
"""Of a table or a bias. Squares and their sums stay far from overflow, and float32 holds it too."""


class FrozenArray:
    """A private, read-only float64 copy with equality, a hash and a short ``repr``.

    Descriptions hold one's own numbers in it, since dataclasses can't compare bare arrays.

    >>> FrozenArray([1.0, 2.0]) == FrozenArray(np.asarray([1, 2]))
    True
    """

    __slots__ = ("values",)
    values: NDArray[np.float64]

    def __init__(self, values: Any):
        self.values = np.array(values, dtype=np.float64)
        self.values.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenArray) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.shape, (self.values + 0.0).tobytes()))  # + 0.0: -0.0 equals 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __repr__(self) -> str:
        return f"<{' x '.join(map(str, self.shape))} numbers>"


def frozen(
    given: Numbers, what: str, rank: int, meaning: Text, *, most: float = LARGEST_NUMBER
) -> FrozenArray:
    """One's own numbers, read if ``given`` names a file, if they are finite and have ``rank`` dimensions.

    ``meaning`` says what the dimensions hold, for the error. A single row or column counts as one
    dimension. Raises ClockhandsError, also where a number is larger than ``most`` either side of zero.

    >>> frozen([[1], [2]], "inv_freq", 1, Text("one number for each hand", "每根指针一个数")).shape
    (2,)
    """
    values = _read(given, what) if isinstance(given, str | os.PathLike) else checked(given, what)
    if rank == 1 and values.ndim == 2 and 1 in values.shape:
        values = values.reshape(-1)
    if values.ndim != rank:
        raise ClockhandsError(
            f"{what} has shape {values.shape}, but it needs {rank} dimension(s), {meaning.en}: reshape it",
            f"{what} 的形状是 {values.shape}，但它要有 {rank} 维（{meaning.zh}）：请调整形状",
        )
    require_moderate(values, what, most)
    return FrozenArray(values)


def frozen_if_given(given: Numbers | None, what: str, rank: int, meaning: Text) -> FrozenArray | None:
    """``frozen`` for a field that may be left out; what is frozen already stays itself."""
    return given if given is None or isinstance(given, FrozenArray) else frozen(given, what, rank, meaning)


def require_shape(numbers: FrozenArray | None, name: str, shape: tuple[int, ...]) -> None:
    """Numbers given beside sizes must agree with them; None is fine."""
    if numbers is not None and numbers.shape != shape:
        raise ClockhandsError(
            f"{name} has shape {numbers.shape}, but the sizes say {shape}: make them agree",
            f"{name} 的形状是 {numbers.shape}，而尺寸参数说的是 {shape}：请让两者一致",
        )


def _read(path: str | os.PathLike[str], what: str) -> NDArray[np.float64]:
    """The numbers in a file; what is no file of numbers is refused under the name of the parameter."""
    if Path(str(path).partition("#")[0]).suffix.lower() not in READABLE:
        raise BadParameter(
            what,
            f" is {shown(str(path))}, but it must be numbers, or a file that ends in {', '.join(READABLE)}: "
            "check the path",
            f" 为 {shown(str(path))}，但它必须是数，或以 {'、'.join(READABLE)} 结尾的文件：请检查路径",
        )
    return read_array(path)
