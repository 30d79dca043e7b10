"""What is added to tokens: which rows of which table, and whether they are sines and cosines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clockhands.check.form import Layout
from clockhands.check.probe.hf.copy import words_of
from clockhands.check.probe.hf.feed import ROWS
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.rotation import speeds
from clockhands.check.probe.hf.watch import Watch, texts


@dataclass(frozen=True)
class Added:
    """A table that is added.

    values  ``(rows, d)`` all of it; or, where no table was found, what is added at each position that was
    tried
    first   row of the first position
    """

    name: str | None
    values: np.ndarray
    first: int


def tables_of(
    watch: Watch, call: Callable[[nn.Module], Any], path: str, count: int, before: int = 0
) -> tuple[Added, ...]:
    """Tables whose rows the first layer at ``path`` sees change along the sequence.

    Which rows reach a position is asked of the gradient, so any way of looking them up will do.
    """
    model = watch.model
    tensors = _tables(model)
    with torch.enable_grad():
        for each in tensors.values():
            each.requires_grad_(True)
        try:
            run = watch.run(call)
            layer = next((each for each in run.layers if each.path == path), None)
            if layer is None or layer.entered is None:
                return ()
            hidden = _texts_first(layer.entered, before, count)
            found = _rows(hidden, tensors)
        finally:
            for each in tensors.values():
                each.requires_grad_(False)
    hidden = hidden.detach()
    if float((hidden - hidden[:, :1]).abs().max()) < 1e-12 * float(hidden.abs().max()):
        return ()
    if found:
        return tuple(
            Added(name, tensors[name].detach().reshape(-1, tensors[name].shape[-1]).double().numpy(), first)
            for name, first in found
        )
    return _bare(watch, call, path, (before, count), tensors)


def _texts_first(hidden: Tensor, before: int, count: int) -> Tensor:
    """``(b, count, d)`` of what may have time first or last, others before it and padding at its end."""
    if hidden.shape[0] != ROWS and hidden.shape[1] == ROWS:
        hidden = hidden.transpose(0, 1)
    return texts(hidden, count)[:, before : before + count]


def _bare(
    watch: Watch,
    call: Callable[[nn.Module], Any],
    path: str,
    text: tuple[int, int],
    tensors: dict[str, Tensor],
) -> tuple[Added, ...]:
    """What the first layer sees of a token that is zero: a table that no gradient leads to, or the sum
    itself."""
    words = words_of(watch.model)
    if words is None:
        return ()
    kept = words.data.clone()
    words.data.zero_()
    try:
        run = watch.run(call)
    finally:
        words.data.copy_(kept)
    layer = next((each for each in run.layers if each.path == path), None)
    if layer is None or layer.entered is None:
        return ()
    shown = _texts_first(layer.entered, *text)[0].double().numpy()
    half = shown[len(shown) // 2 :]
    if np.abs(half - half[:1]).max() < 1e-9 * np.abs(shown).max():
        return ()  # tokens seen together with those before them, of which the first have fewer
    for name, each in tensors.items():
        values = each.detach().reshape(-1, each.shape[-1]).double().numpy()
        if values.shape[1] == shown.shape[1]:
            gap = np.abs(values[None] - shown[:2, None]).max(-1)
            first = int(np.argmin(gap[0]))
            if gap[0, first] < 1e-6 and first + 1 < len(values) and gap[1, first + 1] < 1e-6:
                return (Added(name, values, first),)
    return (Added(None, shown, 0),)


def _tables(model: nn.Module) -> dict[str, Tensor]:
    named = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    return {
        name: each
        for name, each in named.items()
        if each.is_floating_point() and each.ndim in (2, 3) and each.shape[-2] > 3 and each.is_leaf
    }


def _rows(hidden: Tensor, tensors: dict[str, Tensor]) -> list[tuple[str, int]]:
    """Tables of which another row shows at another position, each with the row of the first position."""
    if not hidden.requires_grad:
        return []
    generator = torch.Generator().manual_seed(1)
    direction = torch.randn(hidden.shape[-1], generator=generator, dtype=hidden.dtype)
    names = list(tensors)
    touched: list[dict[str, int]] = []
    for p in range(3):
        try:
            grads = torch.autograd.grad(
                (hidden[0, p] * direction).sum(), list(tensors.values()), retain_graph=True, allow_unused=True
            )
        except RuntimeError as error:  # code that writes over what a gradient needs
            raise Refusal(error) from error
        rows: dict[str, int] = {}
        for name, grad in zip(names, grads, strict=True):
            if grad is None:
                continue
            shown = torch.nonzero(grad.reshape(-1, grad.shape[-1]).abs().sum(-1))[:, 0].tolist()
            if len(shown) == 1:
                rows[name] = int(shown[0])
        touched.append(rows)
    return [
        (name, first)
        for name, first in touched[0].items()
        if all(name in each for each in touched) and touched[1][name] == first + 1 == touched[2][name] - 1
    ]


@dataclass(frozen=True)
class Waves:
    """A table of sines and cosines: position ``p`` is ``row - start``, at ``inv_freq`` rad / token each."""

    layout: Layout
    inv_freq: np.ndarray
    start: float


def waves(values: np.ndarray, first: int) -> Waves | None:
    """The sines and cosines that the rows from ``first`` on are, or None if they are anything else."""
    rows = values[first : first + 400]
    width = rows.shape[1] // 2 * 2
    if len(rows) < 4 or not width:
        return None
    half = width // 2
    layouts: tuple[tuple[Layout, np.ndarray, np.ndarray], ...] = (
        ("interleaved", rows[:, 0:width:2], rows[:, 1:width:2]),
        ("half", rows[:, :half], rows[:, half:width]),
        # Cosines may come first, too: such a table would run backwards read the other way round.
        ("interleaved", rows[:, 1:width:2], rows[:, 0:width:2]),
        ("half", rows[:, half:width], rows[:, :half]),
    )
    for layout, sines, cosines in layouts:
        length = sines**2 + cosines**2
        if (np.abs(length - length[:1]) > 1e-5 * length.max()).any() or length.max() < 1e-12:
            continue
        angle = np.arctan2(sines, cosines)
        turned = (angle - angle[:1]).T
        steps = [0, *(n for n in (1, 3, 9, 27, 81, 243, len(rows) - 1) if n < len(rows))]
        speed = speeds(_within(turned[:, steps]), np.asarray(steps, dtype=float))
        if (speed < -1e-6).any() or not (speed > 1e-3).any():
            continue
        expected = speed[:, None] * np.arange(len(rows))
        if np.abs(_within(turned - expected)).max() > 1e-2:
            continue
        return Waves(layout, speed, float(angle[0, 0] / speed[0]))
    return None


def _within(angle: np.ndarray) -> np.ndarray:
    return (angle + np.pi) % (2 * np.pi) - np.pi
