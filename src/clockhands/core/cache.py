"""What attention remembers of earlier tokens."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from clockhands.catalogue.rules import require_count
from clockhands.core.room import Room


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
    length_to_come  how many tokens it will hold in the end, where that is known
    """

    def __init__(
        self, tokens: Tokens | None = None, *, turned: bool = True, length_to_come: int | None = None
    ) -> None:
        self.tokens, self.turned, self.length_to_come = tokens, turned, length_to_come
        self._room: Room | None = None

    @property
    def length(self) -> int:
        """Number of tokens held."""
        return 0 if self.tokens is None else self.tokens.length

    def extended(self, new: Tokens) -> Tokens:
        """What it would hold with new tokens added; it does not change."""
        return new if self.tokens is None else self.tokens.then(new)

    def grown(self, new: Tokens) -> Tokens:
        """The same for tokens that stay: without a gradient they are written behind the earlier ones.

        The memory is taken for all that will come, or for half as many tokens again as there are, so that
        each token is moved once or twice however many follow. Its first tokens are kept as they came.
        """
        if self.tokens is None or not self._may_write():
            return self.extended(new)
        room = self._room
        # Only who has all that was written may write on: others that begin alike make room of their own.
        if room is None or room.last is not self.tokens or not room.fits(vars(new)):
            count = self.length + new.length
            room = Room(vars(self.tokens), vars(new), max(count + count // 2, self.length_to_come or 0))
            if not (room.fits(vars(self.tokens)) and room.fits(vars(new))):
                return self.extended(new)
            room.add(vars(self.tokens))
        grown = Tokens(**room.add(vars(new)))  # pyright: ignore[reportArgumentType] (k, v and places are always there)
        room.last, self._room = grown, room
        return grown

    def _may_write(self) -> bool:
        traced = torch.compiler.is_compiling() or torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage]
        return self.turned and not torch.is_grad_enabled() and not traced


class Cache:
    """One ``LayerCache`` a layer.

    length_to_come  how many tokens it will hold in the end, where that is known: memory is taken once

    >>> cache = Cache(num_layers=2)
    >>> cache[1].length, cache.length
    (0, 0)
    """

    def __init__(self, num_layers: int, *, length_to_come: int | None = None) -> None:
        require_count(num_layers, "num_layers", least=0)
        if length_to_come is not None:
            require_count(length_to_come, "length_to_come", least=0)
        self.layers = tuple(LayerCache(length_to_come=length_to_come) for _ in range(num_layers))

    def __getitem__(self, layer: int) -> LayerCache:
        return self.layers[layer]

    @property
    def length(self) -> int:
        """Number of tokens held: the slot, not the position, of the next one."""
        return self.layers[0].length
