"""Which library an array belongs to, so that one line of a formula serves numpy, torch and others.

``array_api_compat.array_namespace`` answers the same question, but through an ``lru_cache``
that torch.compile warns about; these few lines trace silently.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from clockhands.errors import ClockhandsError, shown

Array = Any
"""An array of any library that follows the array API standard (numpy, torch, ...)."""

Number = Any
"""A Python float, or a 0-d array when the number is to be learned."""


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


def as_array(values: Any, name: str) -> Array:
    """An array as it is; lists and numbers as numpy makes them. ClockhandsError for what is no numbers.

    >>> as_array([[1, 2]], "positions").shape
    (1, 2)
    """
    if hasattr(values, "dtype") and hasattr(values, "ndim"):
        return values
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of unequal length
        raise _no_numbers(name, values) from error
    if array.dtype.kind not in "biufc":
        raise _no_numbers(name, values)
    return array


def whole_array(values: Any, name: str, *, axes: int = 1) -> Array:
    """An array of integers or truth values with at least ``axes`` axes; lists are taken too.

    >>> whole_array([True, False], "mask").tolist()
    [True, False]
    """
    array = as_array(values, name)
    is_whole = namespace_of(array).isdtype(array.dtype, ("integral", "bool"))
    if not is_whole or array.ndim < axes:
        raise ClockhandsError(
            f"{name} has shape {tuple(array.shape)} and type {array.dtype}, but it must hold integers "
            "along one axis or more: convert it",
            f"{name} 的形状是 {tuple(array.shape)}、类型是 {array.dtype}，"
            "但它必须是至少一维的整数数组：请先转换",
        )
    return array


def require_whole(value: Any, name: str, *, least: int = 0) -> None:
    """A whole number (or a tensor's symbolic size), ``least`` or more."""
    if not hasattr(value, "__index__") or isinstance(value, bool) or value < least:
        raise ClockhandsError(
            f"{name} is {shown(value)}, but it must be a whole number: use {least} or more",
            f"{name} 为 {shown(value)}，但它必须是整数：请用 {least} 或更大的数",
        )


def _no_numbers(name: str, values: Any) -> ClockhandsError:
    shown = repr(values) if len(repr(values)) <= 60 else f"{repr(values)[:57]}..."
    return ClockhandsError(
        f"{name} is {shown}, but it must be an array of numbers: give one, with rows of one length",
        f"{name} 为 {shown}，但它必须是由数组成的数组：请给出这样的数组，各行长度相同",
    )
