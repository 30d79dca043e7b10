"""Where a run computes."""

from __future__ import annotations

import torch

from clockhands.catalogue.rules import require_choice
from clockhands.errors import ClockhandsError

DEVICES = ("cpu", "cuda", "mps")


def device_of(name: str) -> torch.device:
    """The device called ``cpu``, ``cuda`` or ``mps``; ClockhandsError where this machine has none.

    >>> device_of("cpu")
    device(type='cpu')
    """
    require_choice(name, "device", DEVICES)
    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not present[name]:
        raise ClockhandsError(
            f"the device '{name}' is not here, or this PyTorch was built without it: use --device cpu",
            f"没有可用的设备“{name}”，或者安装的 PyTorch 不支持它：请用 --device cpu",
        )
    return torch.device(name)
