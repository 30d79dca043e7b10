"""What else mixes tokens in a layer that attends: a recurrence or a convolution, beside attention or before.

Attention is made to give zeros, and two texts that differ in one token go into every layer: what then differs
elsewhere got there another way.
"""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.check.probe.hf.attention import four
from clockhands.check.probe.hf.feed import ROWS, Feed
from clockhands.check.probe.hf.layers import stem
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.seen import Layer
from clockhands.check.probe.hf.watch import Watch

PLACE = 4
"""Of the token that is another in the second text."""


OTHER = 9
"""Of the token that it is swapped with in the third."""


def one_apart(hidden: Tensor) -> Tensor:
    """Texts of the same random tokens; but at ``PLACE`` of the second one."""
    generator = torch.Generator().manual_seed(4)
    if hidden.ndim != 3:
        return hidden
    ours = hidden.shape[0] == ROWS
    texts = hidden if ours else hidden.transpose(0, 1)
    made = torch.randn(1, *texts.shape[1:], generator=generator, dtype=torch.float64).repeat(len(texts), 1, 1)
    if len(texts) > 1 and texts.shape[1] > PLACE:
        made[1, PLACE] = torch.randn(texts.shape[-1], generator=generator, dtype=torch.float64)
    return (made if ours else made.transpose(0, 1)).to(hidden.dtype)


def swapped(hidden: Tensor) -> Tensor:
    """The texts of ``one_apart``, and a third that is the first one with two tokens in each other's place."""
    made = one_apart(hidden)
    texts = made if hidden.shape[0] == ROWS else made.transpose(0, 1)
    if hidden.ndim == 3 and len(texts) > 2 and texts.shape[1] > OTHER:
        texts[2, PLACE], texts[2, OTHER] = texts[0, OTHER], texts[0, PLACE]
    return made


def as_sets(watch: Watch, feed: Feed, path: str, count: int) -> list[bool]:
    """Of each layer of a stack in which no softmax was seen, whether it mixes tokens as a set.

    That is attention by other means, such as hashes. None of them where the model takes no such texts.
    """
    watch.entering = swapped
    # What is left is kept where attention is muted; here there is none to mute.
    watch.mute = True
    try:
        run = watch.run(lambda model: feed.call(model, count))
    except Refusal as refusal:  # code that takes no such tokens
        watch.left_out.setdefault("mixing", str(refusal))
        return []
    finally:
        watch.entering, watch.mute = None, False
    return [_set(layer, count) for layer in run.layers if stem(layer.path) == path]


def _set(layer: Layer, count: int) -> bool:
    if layer.left is None or not _mixes(layer, count):
        return False
    texts = layer.left if layer.left.shape[0] == ROWS else layer.left.transpose(0, 1)
    if len(texts) < 3:
        return False
    back = list(range(count))
    back[PLACE], back[OTHER] = OTHER, PLACE
    return bool((texts[2][back] - texts[0]).abs().max() < 1e-6 * texts[:3].abs().max())


def mixing(watch: Watch, feed: Feed, path: str, count: int) -> list[bool]:
    """Of each layer of this stack, whether anything but attention mixes tokens; none where that fails."""
    watch.entering, watch.mute = one_apart, True
    try:
        run = watch.run(lambda model: feed.call(model, count))
    except Refusal as refusal:  # code that takes no such tokens
        watch.left_out.setdefault("mixing", str(refusal))
        return []
    finally:
        watch.entering, watch.mute = None, False
    return [_mixes(layer, count) for layer in run.layers if stem(layer.path) == path]


def _mixes(layer: Layer, count: int) -> bool:
    shown = (
        []
        if layer.left is None
        else [layer.left if layer.left.shape[0] == ROWS else layer.left.transpose(0, 1)]
    )
    for seen in layer.attended:
        for each in (seen.q, seen.k):
            heads = None if each is None else four(each)
            if each is not None and heads is not None and heads.shape[2] == count:
                shown.append(torch.from_numpy(heads).to(each.dtype).transpose(1, 2))
    return any(_elsewhere(each, count) for each in shown)


def _elsewhere(texts: Tensor, count: int) -> bool:
    """Whether the first two texts ``(b, t, …)`` differ but at ``PLACE``."""
    if len(texts) < 2 or texts.shape[1] != count:
        return False
    apart = (texts[1] - texts[0]).abs().reshape(count, -1).amax(1)
    apart[PLACE] = 0.0
    noise = 1e-9 if texts.dtype == torch.float64 else 1e-4
    return bool(apart.max() > noise * texts[:2].abs().max())
