"""Which library an array belongs to, so that one line of a formula serves numpy, torch and others.

``array_api_compat.array_namespace`` answers the same question, but through an ``lru_cache``
that torch.compile warns about; these few lines trace silently.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

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
