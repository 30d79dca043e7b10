"""What changes when positions are given: far ones, and ones of several axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clockhands.check.probe.hf.attention import POSITIONS, Heads, heads_of
from clockhands.check.probe.hf.feed import ROWS, Feed
from clockhands.check.probe.hf.layers import stem
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.rotation import Turning, turning
from clockhands.check.probe.hf.watch import Watch


@dataclass
class Axes:
    """Which hands follow which axis of the positions, of one layer: ``turned[axis]`` numbers pairs ``(d,
    e)``."""

    turned: tuple[frozenset[tuple[int, int]], ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    def fields(self, hands: np.ndarray, count: int) -> dict[str, Any]:
        """Sections and their order, where there are several axes."""
        if len([each for each in self.turned if each]) < 2:
            return {}
        order = dict(zip(self.pairs, hands.tolist(), strict=False))
        axis_of = np.full(count, -1)
        for axis, turned in enumerate(self.turned):
            for pair in turned:
                axis_of[order[pair]] = axis
        sections = tuple(int((axis_of == axis).sum()) for axis in range(len(self.turned)))
        known = axis_of[axis_of >= 0]
        # Where each axis has one hand, both orders are the same.
        interleaved = bool((np.diff(known) < 0).any()) if max(sections) > 1 else None
        return {"mrope_section": sections, "mrope_interleaved": interleaved}


@dataclass
class Far:
    """Of each layer, its axes, and how fast it turns where the text is long."""

    axes: dict[int, Axes] = field(default_factory=dict)
    turns: dict[int, Turning] = field(default_factory=dict)
    """How each turns over ``POSITIONS``."""

    def of(self, n: int) -> Axes | None:
        """Of layer ``n``."""
        return self.axes.get(n)


def far_of(watch: Watch, feed: Feed, path: str, content: Callable[[Tensor], Tensor]) -> Far:
    """Runs with positions of several axes, and with far ones; what the model refuses or ignores is left
    out."""
    out = Far()
    count = len(POSITIONS)

    def heads(positions: Tensor) -> dict[int, Heads] | None:
        try:
            run = watch.run(lambda model: feed.call(model, count, positions), content)
        except Refusal:  # positions that this class doesn't take
            return None
        found: dict[int, Heads] = {}
        for n, layer in enumerate(each for each in run.layers if stem(each.path) == path):
            got = [each for each in (heads_of(seen, count) for seen in layer.attended) if each is not None]
            if got:
                found[n] = got[0]
        return found

    far = heads(torch.tensor(POSITIONS).expand(ROWS, -1))
    if far is None:
        return out
    for n, each in far.items():
        turn = turning(_flat(each))
        if turn is not None:
            out.turns[n] = turn
    for rows in (3, 4, 2):
        # The first text moves along the first axis alone, the second along the second …
        positions, axes = torch.zeros(rows, ROWS, count, dtype=torch.long), min(rows, 3)
        for axis in range(axes):
            positions[rows - axes + axis, axis] = torch.arange(count)
        for n, each in (heads(positions) or {}).items():
            moving = [_moving(each.q[axis]) for axis in range(axes)]
            if n in out.turns and len([one for one in moving if one]) > 1 and not moving[0] & moving[1]:
                pairs = tuple((int(d), int(e)) for d, e in out.turns[n].pairs)
                turned = tuple(frozenset(pair for pair in pairs if set(pair) <= one) for one in moving)
                if sum(map(len, turned)) == len(pairs):
                    out.axes[n] = Axes(turned, pairs)
        if out.axes:
            break
    return out


def _moving(heads: np.ndarray) -> set[int]:
    """Dimensions of ``(h, t, hd)`` that change along the sequence."""
    change = np.abs(heads - heads[:, :1]).max((0, 1))
    return set(np.flatnonzero(change > 1e-12 * np.abs(heads).max()).tolist())


def _flat(heads: Heads) -> np.ndarray:
    return heads.q.reshape(-1, *heads.q.shape[2:])[:16]
