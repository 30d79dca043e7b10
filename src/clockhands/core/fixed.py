"""Constant tables that stay exact whatever is done to the module that owns them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

_Numbers = NDArray[np.float64] | NDArray[np.int64]
_WITHOUT_FLOAT64 = ("mps",)


def widest_float(device: torch.device) -> torch.dtype:
    """float64, or float32 on the devices that have no float64."""
    return torch.float32 if device.type in _WITHOUT_FLOAT64 else torch.float64


class FixedTables(nn.Module):
    """A module with tables that are known in advance and never trained.

    The numbers live in numpy, as float64 or int64; ``module.name`` is a copy of them on the module's device.
    It never enters ``state_dict``, and is made anew from numpy whenever the module moves, so that
    ``.half()`` can't round it, and ``to_empty`` after the meta device can't leave rubbish in it.

    >>> module = FixedTables()
    >>> module.fix("inv_freq", [1.0, 0.01])
    >>> module.half().inv_freq
    tensor([1.0000, 0.0100], dtype=torch.float64)
    """

    def __init__(self) -> None:
        super().__init__()
        self._fixed: dict[str, _Numbers] = {}

    def fix(self, name: str, values: ArrayLike) -> None:
        """Make ``self.name`` a constant tensor with these values, any shape; integers stay integers."""
        numbers = np.array(values)
        if np.issubdtype(numbers.dtype, np.integer):
            self._fixed[name] = numbers.astype(np.int64)
        else:
            self._fixed[name] = numbers.astype(np.float64)
        device = torch.get_default_device()  # the meta device, inside ``with torch.device("meta")``
        self.register_buffer(name, _copy(self._fixed[name], device), persistent=False)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """What ``.to()``, ``.half()`` and ``to_empty()`` all call: only the device of a table follows."""
        buffers: dict[str, Any] = self._buffers
        kept = {name: buffers.pop(name) for name in self._fixed}  # moving float64 itself can be impossible
        devices = {name: table.device for name, table in kept.items()}
        try:
            devices = {name: fn(torch.empty(0, device=device)).device for name, device in devices.items()}
            super()._apply(fn, recurse)  # pyright: ignore[reportUnknownMemberType] (untyped in torch)
        finally:
            for name, values in self._fixed.items():
                buffers[name] = _copy(values, devices[name])
        return self


def _copy(values: _Numbers, device: torch.device) -> Tensor:
    dtype = torch.int64 if values.dtype == np.int64 else widest_float(device)
    return torch.tensor(values, dtype=dtype, device=device)
