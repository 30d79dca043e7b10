"""What else mixes tokens in a layer that attends: a recurrence or a convolution, beside attention or before it.

Attention is made to give zeros, and two texts that differ in one token go into every layer: what then differs
elsewhere got there another way.
"""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.check.probe.hf.attention import four
from clockhands.check.probe.hf.feed import ROWS, Feed
from clockhands.check.probe.hf.layers import stem
from clockhands.check.probe.hf.watch import Layer, Watch

PLACE = 4
"""Of the token that is another in the second text."""


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


def mixing(watch: Watch, feed: Feed, path: str, count: int) -> list[bool]:
    """Of each layer of this stack, whether anything but attention mixes tokens; none where that fails."""
    watch.entering, watch.mute = one_apart, True
    try:
        run = watch.run(lambda model: feed.call(model, count))
    except Exception:  # noqa: BLE001  code that takes no such tokens
        return []
    finally:
        watch.entering, watch.mute = None, False
    return [_mixes(layer, count) for layer in run.layers if stem(layer.path) == path]


def _mixes(layer: Layer, count: int) -> bool:
    shown = [] if layer.left is None else [layer.left if layer.left.shape[0] == ROWS else layer.left.transpose(0, 1)]
    for seen in layer.attended:
        for each in (seen.q, seen.k):
            heads = None if each is None else four(each)
            if heads is not None and heads.shape[2] == count:
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
