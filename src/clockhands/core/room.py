"""Memory with room behind what it holds: tokens that come one by one are written, and none is moved.

Joining tensors anew for each token copies everything that a cache holds, which at some thousand tokens takes
longer than attention itself.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

TIME = {"k": 2, "v": 2, "places": 1, "memory": 1, "valid": 1, "documents": 1}
"""The axis along which each part of ``Tokens`` grows."""
ABSENT: Mapping[str, bool | int] = {"valid": True, "documents": 0}
"""What a part that is missing means."""
Parts = Mapping[str, Tensor | None]


class Room:
    """Parts of the tokens of one layer, in tensors longer than they are.

    last  all that was written, as ``Tokens``: who has anything else must not write on

    Slots are written once and what is there stays, so that whoever holds earlier tokens may keep them. For
    the same reason writing is none of autograd's business: it goes past the count of changes that it keeps.
    """

    def __init__(self, earlier: Parts, new: Parts, length: int):
        """Room for ``length`` tokens, still empty, with those parts that both sorts of tokens joined have."""
        self.used, self.length = 0, length
        self.last: object = None
        self._whole: dict[str, Tensor] = {}
        for name, axis in TIME.items():
            halves = [half for half in (earlier[name], new[name]) if half is not None]
            if len(halves) == 2 or (halves and name in ABSENT):
                like = halves[0]
                shape = (*like.shape[:axis], length, *like.shape[axis + 1 :])
                self._whole[name] = like.new_empty(shape)

    def fits(self, new: Parts) -> bool:
        """Whether these tokens can be written behind the others, as joining would have them."""
        count = _count(new)
        if self.used + count > self.length:
            return False
        for name, axis in TIME.items():
            whole, part = self._whole.get(name), new[name]
            if whole is None or part is None:
                if (whole is None) != (part is None) and (whole is None or name not in ABSENT):
                    return False
                continue
            same = whole.dtype == part.dtype and whole.device == part.device
            if not same or part.shape != (*whole.shape[:axis], count, *whole.shape[axis + 1 :]):
                return False
            if whole.is_inference() and not torch.is_inference_mode_enabled():
                return False
        return True

    def add(self, new: Parts) -> dict[str, Tensor | None]:
        """All parts up to the new tokens, which are written behind the others."""
        begin, end = self.used, self.used + _count(new)
        for name, whole in self._whole.items():
            place = whole.data.narrow(TIME[name], begin, end - begin)
            part = new[name]
            if part is None:
                place.fill_(ABSENT[name])
            else:
                place.copy_(part)
        self.used = end
        found: dict[str, Tensor | None] = dict.fromkeys(TIME)
        return found | {name: whole.narrow(TIME[name], 0, end) for name, whole in self._whole.items()}


def _count(parts: Parts) -> int:
    k = parts["k"]
    assert k is not None
    return k.shape[TIME["k"]]
