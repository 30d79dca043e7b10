"""What attention remembers of earlier tokens."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from clockhands.catalogue.rules import require_count


@dataclass(frozen=True)
class Tokens:
    """Everything attention must know of some tokens to look at them.

    k, v       ``(b, hk, t, hd)``; k already turned, except where frequencies depend on the length
    places     ``(b, t[, axes])``
    memory     ``(b, t, ...)`` or None
    valid      ``(b, t)`` bool, None if nothing is padding
    documents  ``(b, t)`` integers, None if all is one document (number 0)
    """

    k: Tensor
    v: Tensor
    places: Tensor
    memory: Tensor | None = None
    valid: Tensor | None = None
    documents: Tensor | None = None

    @property
    def length(self) -> int:
        return self.k.shape[2]

    def then(self, new: Tokens) -> Tokens:
        """These tokens followed by new ones."""
        lengths = self.length, new.length
        memory = None
        if self.memory is not None and new.memory is not None:
            memory = torch.cat((self.memory, new.memory), dim=1)
        return Tokens(
            k=torch.cat((self.k, new.k), dim=2),
            v=torch.cat((self.v, new.v), dim=2),
            places=torch.cat((self.places, new.places), dim=1),
            memory=memory,
            valid=joined_marks(self.valid, new.valid, lengths, absent=True),
            documents=joined_marks(self.documents, new.documents, lengths, absent=0),
        )


def joined_marks(
    earlier: Tensor | None, new: Tensor | None, lengths: tuple[int, int], absent: bool | int
) -> Tensor | None:
    """Marks ``(b, t)`` of earlier and of new tokens in a row, where a missing half means ``absent``.

    lengths  tokens in each half. None if both halves are missing.
    """
    present = earlier if earlier is not None else new
    if present is None:
        return None
    halves = [
        present.new_full((present.shape[0], length), absent) if marks is None else marks
        for marks, length in zip((earlier, new), lengths, strict=True)
    ]
    return torch.cat(halves, dim=1)


class LayerCache:
    """The memory of one attention layer; ``attend`` adds to it.

    tokens  earlier ones to begin with
    turned  whether their keys are as ``Encoding.keys`` leaves them; False where somebody else keeps the keys
            as the model made them, and ``attend`` turns them all in each call
    """

    def __init__(self, tokens: Tokens | None = None, *, turned: bool = True) -> None:
        self.tokens, self.turned = tokens, turned

    @property
    def length(self) -> int:
        """Number of tokens held."""
        return 0 if self.tokens is None else self.tokens.length

    def extended(self, new: Tokens) -> Tokens:
        """What it would hold with new tokens added; it does not change."""
        return new if self.tokens is None else self.tokens.then(new)


class Cache:
    """One ``LayerCache`` a layer.

    >>> cache = Cache(num_layers=2)
    >>> cache[1].length, cache.length
    (0, 0)
    """

    def __init__(self, num_layers: int) -> None:
        require_count(num_layers, "num_layers", least=0)
        self.layers = tuple(LayerCache() for _ in range(num_layers))

    def __getitem__(self, layer: int) -> LayerCache:
        return self.layers[layer]

    @property
    def length(self) -> int:
        """Number of tokens held: the slot, not the position, of the next one."""
        return self.layers[0].length
