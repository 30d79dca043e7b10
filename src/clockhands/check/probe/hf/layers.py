"""Which calls are layers of which stack, by the tree of modules and the order in which they ran."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch

from clockhands.check.form import Stack
from clockhands.check.probe.hf.feed import ENCODED, ROWS
from clockhands.check.probe.hf.seen import Layer


def stacks_of(layers: Sequence[Layer]) -> dict[str, list[Layer]]:
    """Layers by the list that they stand in, those lists in which nothing attends left out if any does.

    A list within a list (blocks of layers) is one stack. A module that ran several times counts each time.
    """
    found: dict[str, list[Layer]] = {}
    for layer in layers:
        found.setdefault(stem(layer.path), []).append(layer)
    attending = {path: each for path, each in found.items() if any(layer.attended for layer in each)}
    # Lists of layers that only look across to other tokens are none of their own.
    attending = {path: each for path, each in attending.items() if _looks_at_itself(each)} or attending
    if attending:
        return attending
    longest = max(found.items(), key=lambda item: len(item[1]), default=None)
    return {} if longest is None else dict([longest])


def _looks_at_itself(layers: Sequence[Layer]) -> bool:
    """Whether any attention of these layers may have keys of its own, an encoder's besides or not."""
    return any(
        seen.q is None or seen.k is None or seen.k.shape[-2] - seen.q.shape[-2] in (0, ENCODED)
        for layer in layers
        for seen in layer.attended
    )


def stem(path: str) -> str:
    """The path of the outermost list: what comes before the first number.

    >>> stem("model.layers.3"), stem("encoder.blocks.0.1")
    ('model.layers', 'encoder.blocks')
    """
    parts = path.split(".")
    first = next((n for n, part in enumerate(parts) if part.isdigit()), len(parts))
    return ".".join(parts[:first])


def tokens_in(layer: Layer, count: int) -> int | None:
    """How many tokens a layer was given: fewer than the text where it is pooled, more where others are put
    before it."""
    if layer.entered is None:
        return None
    if layer.entered.shape[-1] == count != layer.entered.shape[1]:  # as convolutions have it
        return count
    first, second = layer.entered.shape[:2]
    return second if first == ROWS else first if second == ROWS else None


def before(layer: Layer, count: int) -> int:
    """How many tokens the first layer was given before the text, which is one token ``count`` times."""
    inside = tokens_in(layer, count)
    if layer.entered is None or inside is None or inside <= count:
        return 0
    hidden = layer.entered if layer.entered.shape[0] == ROWS else layer.entered.transpose(0, 1)
    for start in range(inside - count, 0, -1):
        text = hidden[0, start : start + count]
        if text.any() and torch.equal(text, text[:1].expand_as(text)):  # zeros are padding
            return start
    return 0


def numbers_of(layers: Sequence[Layer], side: Sequence[Layer]) -> tuple[int, ...]:
    """The number of each layer of a stack: its place in the list, of which a text may skip some.

    The order in which they ran, where that is no number of its own: lists within lists, layers that run
    again, several stacks on one ``side`` of the model.
    """
    if len(side) > len(layers):
        mine = {id(each) for each in layers}
        return tuple(n for n, each in enumerate(side) if id(each) in mine)
    own = [layer.path.removeprefix(stem(layer.path)).removeprefix(".") for layer in layers]
    if all(each.isdigit() for each in own):
        numbers = tuple(int(each) for each in own)
        if all(a < b for a, b in pairwise(numbers)):
            return numbers
    return tuple(range(len(layers)))


def side_of(path: str) -> Stack | None:
    """Whether a stack is an encoder or a decoder, by where it stands in the tree.

    >>> side_of("model.encoder.layers"), side_of("decoder.bert.encoder.layer"), side_of("model.layers")
    ('encoder', 'decoder', None)
    """
    first = next((part for part in path.split(".") if "encoder" in part or "decoder" in part), "")
    return "encoder" if "encoder" in first else "decoder" if first else None
