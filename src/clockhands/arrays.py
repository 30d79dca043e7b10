"""Which library an array belongs to, so that one line of a formula serves numpy, torch and others.

``array_api_compat.array_namespace`` answers the same question, but through an ``lru_cache``
that torch.compile warns about; these few lines trace silently.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from clockhands.errors import ClockhandsError, meant, nearest, shown
from clockhands.language import Text

Array = Any
"""An array of any library that follows the array API standard (numpy, torch, ...)."""

Number = Any
"""A Python float, or a 0-d array when the number is to be learned."""

LARGEST = 2**31 - 1
"""Of a length or a count: a text of so many tokens fits no memory, so it is a slip."""


def namespace_of(*values: Any) -> Any:
    """The array API namespace of the first array among ``values``; numpy's where all are plain numbers.

    >>> namespace_of(1.0, np.zeros(2)).__name__
    'array_api_compat.numpy'
    """
    torch = sys.modules.get("torch")  # a tensor can't exist before torch is imported
    for value in values:
        if torch is not None and isinstance(value, torch.Tensor):
            import array_api_compat.torch as torch_namespace

            return torch_namespace
        # A tuple of types: torch.compile can't trace a union.
        if not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "__array_namespace__"):
            return value.__array_namespace__()
    import array_api_compat.numpy as numpy_namespace

    return numpy_namespace


def device_of(*values: Any) -> Any:
    """The device of the first array among ``values``, None where all are plain numbers."""
    return next((value.device for value in values if hasattr(value, "device")), None)


def as_dtype(value: Number, dtype: Any) -> Number:
    """``value`` in ``dtype``; a plain Python number stays as it is."""
    return namespace_of(value).astype(value, dtype) if hasattr(value, "dtype") else value


def real_dtype(*values: Any) -> Any:
    """The dtype to calculate in: the widest floating one given, at least float32; float64 if none is given.

    Half-precision inputs are widened because positions past 256 already collide in bfloat16.
    """
    xp = namespace_of(*values)
    floating = [v.dtype for v in values if hasattr(v, "dtype") and xp.isdtype(v.dtype, "real floating")]
    return xp.result_type(xp.float32, *floating) if floating else xp.float64


def cumulative_sum(x: Array) -> Array:
    """Sums along the last axis, each number included.

    ``array_api_compat`` looks its library up through an ``lru_cache`` here too, so arrays that can do it
    themselves (numpy, torch) are asked.

    >>> cumulative_sum(np.asarray([1.0, 2.0, 3.0])).tolist()
    [1.0, 3.0, 6.0]
    """
    return x.cumsum(-1) if hasattr(x, "cumsum") else namespace_of(x).cumulative_sum(x, axis=-1)


def as_array(values: Any, name: str, *, axes: int = 0) -> Array:
    """An array as it is, lists and numbers as numpy makes them, with at least ``axes`` axes.

    ClockhandsError for what is no numbers, or has fewer axes.

    >>> as_array([[1, 2]], "positions").shape
    (1, 2)
    """
    try:
        array = values if hasattr(values, "dtype") and hasattr(values, "ndim") else np.asarray(values)
    except ValueError as error:  # rows of unequal length
        raise _no_numbers(name, values) from error
    # Tuples of types: torch.compile can't trace a union.
    if isinstance(array, (np.ndarray, np.generic)) and array.dtype.kind not in "biufc":
        raise _no_numbers(name, values)
    if array.ndim < axes:
        raise ClockhandsError(
            f"{name} has shape {tuple(array.shape)}, but it needs {axes} or more axes: give a larger array",
            f"{name} 的形状是 {tuple(array.shape)}，但它至少要有 {axes} 维：请给出更大的数组",
        )
    return array


def whole_array(values: Any, name: str, *, axes: int = 1) -> Array:
    """An array of integers or truth values with at least ``axes`` axes; lists too, the empty one as well.

    >>> whole_array([True, False], "mask").tolist()
    [True, False]
    """
    says_no_type = isinstance(values, (list, tuple)) and not values
    array = as_array(np.zeros(0, dtype=np.int64) if says_no_type else values, name)
    is_whole = namespace_of(array).isdtype(array.dtype, ("integral", "bool"))
    if not is_whole or array.ndim < axes:
        raise ClockhandsError(
            f"{name} has shape {tuple(array.shape)} and type {array.dtype}, but it must hold integers "
            f"along {axes} or more axes: convert it",
            f"{name} 的形状是 {tuple(array.shape)}、类型是 {array.dtype}，"
            f"但它必须是至少 {axes} 维的整数数组：请先转换",
        )
    return array


def whole_row(values: Any, name: str) -> Array:
    """Integers along one axis and no more, ``(n,)``; truth values, which would be a mask, are none.

    >>> whole_row([3, 2], "lengths").tolist()
    [3, 2]
    """
    row = whole_array(values, name)
    if row.ndim != 1 or not namespace_of(row).isdtype(row.dtype, "integral"):
        raise ClockhandsError(
            f"{name} has shape {tuple(row.shape)} and type {row.dtype}, but it must be one row of integers: "
            "give (n,)",
            f"{name} 的形状是 {tuple(row.shape)}、类型是 {row.dtype}，但它必须是一行整数：请给出 (n,)",
        )
    return row


def listed(values: Any, name: str) -> Iterable[Any]:
    """What can be gone through one by one, and is no single word or number; as it is.

    >>> listed([3, 2], "parts")
    [3, 2]
    """
    if not isinstance(values, Iterable) or isinstance(values, str) or getattr(values, "ndim", 1) == 0:
        raise ClockhandsError(
            f"{name} is {shown(values)}, but it must be a list: give one",
            f"{name} 为 {shown(values)}，但它必须是列表：请给出列表",
        )
    return values


def require_whole(value: Any, name: str, *, least: int = 0) -> None:
    """A whole number (or a tensor's symbolic size), from ``least`` to ``LARGEST``.

    >>> require_whole(9, "length")
    """
    if not _is_whole(value) or value < least:
        raise ClockhandsError(
            f"{name} is {shown(value)}, but it must be a whole number: use {least} or more",
            f"{name} 为 {shown(value)}，但它必须是整数：请用 {least} 或更大的数",
        )
    if value > LARGEST:
        raise ClockhandsError(
            f"{name} is {shown(value)}, but no length or count in use is so large: use {LARGEST:,} or less",
            f"{name} 为 {shown(value)}，而实际使用的长度和个数都没有这么大：请用 {LARGEST:,} 或更小的数",
        )


def finite(value: Any) -> float:
    """``value`` as a float; NaN, which compares with nothing, for all that is no finite real number.

    >>> finite(4), finite("4")
    (4.0, nan)
    """
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value) if math.isfinite(value) else math.nan
    except OverflowError:  # an integer past the largest float
        return math.nan


def require_word(value: Any, name: str, options: tuple[str, ...]) -> None:
    """One of a few words: a misspelt one must not mean another.

    >>> require_word("half", "layout", ("half", "interleaved"))
    """
    if not isinstance(value, str) or value not in options:
        likely = meant(value, options) if isinstance(value, str) else None
        hint = Text("choose one", "请选一个") if likely is None else nearest(value, options)
        raise ClockhandsError(
            f"{name} is {shown(value)}, but it must be {' or '.join(options)}: {hint.en}",
            f"{name} 为 {shown(value)}，但它必须是 {' 或 '.join(options)}：{hint.zh}",
        )


def taken(values: Array, slots: Array, name: str, *, axis: int) -> Array:
    """``values`` at some slots of an axis; ClockhandsError, naming the slots, for one that there is not.

    >>> taken(np.asarray([[5, 6, 7]]), np.asarray([2, 0]), "slots", axis=-1).tolist()
    [[7, 5]]
    """
    try:
        return namespace_of(values).take(values, slots, axis=axis)
    except IndexError as error:
        count = values.shape[axis]
        raise ClockhandsError(
            f"{name} hold a number outside the {count} that there are: use 0 to {count - 1}",
            f"{name} 里有超出范围的数（一共只有 {count} 个）：请用 0 到 {count - 1}",
        ) from error


def _is_whole(value: Any) -> bool:
    if hasattr(value, "shape"):  # an array without axes will do
        return value.shape == () and namespace_of(value).isdtype(value.dtype, "integral")
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _no_numbers(name: str, values: Any) -> ClockhandsError:
    return ClockhandsError(
        f"{name} is {shown(values)}, but it must be an array of numbers: give one, with rows of one length",
        f"{name} 为 {shown(values)}，但它必须是由数组成的数组：请给出这样的数组，各行长度相同",
    )
