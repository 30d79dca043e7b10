"""Windows of texts, and tensors made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.catalogue.description import Description
from clockhands.text import BOS, PAD, cut, padded
from clockhands.training.corpus import Numbered

_ORDER = 0  # name of a stream


class Batch(NamedTuple):
    """tokens ``(b, t)``; valid ``(b, t)`` bool, None without padding; positions as the scheme reads them."""

    tokens: Tensor
    valid: Tensor | None
    positions: Tensor | None


def windows(texts: Sequence[Numbered], longest: int) -> list[Numbered]:
    """All texts cut into windows of at most ``longest`` tokens."""
    return [text.part(window) for text in texts for window in cut(len(text.ids), longest)]


def begun(text: Numbered, description: Description) -> Numbered:
    """With ``<bos>`` in front, so that the first token has something to be guessed from."""
    kinds = text.kinds
    if kinds is not None:
        kinds = np.concatenate(([len(description.kinds) - 1], kinds))
    return Numbered(np.concatenate(([BOS], text.ids)), kinds)


def batched(
    rows: Sequence[Numbered], description: Description, device: torch.device, length: int | None = None
) -> Batch:
    """Rows as tensors, filled up with ``<pad>`` to the longest or to ``length``."""
    ids, valid = padded([row.ids.tolist() for row in rows], PAD, length)
    positions = None
    if description.kinds:
        kinds = padded([[] if row.kinds is None else row.kinds.tolist() for row in rows], -1, length).ids
        places = description.positions_of(kinds)
        positions = None if places is None else torch.from_numpy(places).to(device)
    return Batch(
        torch.from_numpy(ids).to(device),
        None if valid.all() else torch.from_numpy(valid).to(device),
        positions,
    )


def order(count: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """In which order epoch ``epoch`` takes ``count`` windows; a function of seed and epoch alone."""
    return np.random.default_rng((seed, _ORDER, epoch)).permutation(count)


def in_batches(rows: Sequence[Numbered], size: int) -> Iterator[Sequence[Numbered]]:
    """Rows in their order, ``size`` at a time."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
