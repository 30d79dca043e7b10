"""What every bias that reads the tokens needs: a small linear map of them."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.errors import ClockhandsError


def projected(x: Tensor, weight: Tensor, offset: Tensor | None = None) -> Tensor:
    """``x @ weight.T + offset``, ``(b, t, d_model)`` -> ``(b, t, rows of weight)``, at least float32.

    Raises ClockhandsError for tokens of another width.
    """
    if x.shape[-1] != weight.shape[1]:
        raise ClockhandsError(
            f"tokens are {x.shape[-1]} wide and this scheme's map {weight.shape[1]}: both must be d_model",
            f"词元向量宽 {x.shape[-1]}，而这个方案的映射宽 {weight.shape[1]}：两者都必须等于 d_model",
        )
    dtype = torch.promote_types(x.dtype, torch.float32)
    made = x.to(dtype) @ weight.to(dtype).T
    return made if offset is None else made + offset.to(dtype)
