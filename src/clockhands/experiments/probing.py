"""What is asked of a trained model beside its task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.errors import ClockhandsError
from clockhands.experiments.rows import Measured
from clockhands.experiments.tasks import NextToken
from clockhands.experiments.trial import Trial

RIDGE = 1e-3
"""Strength of the penalty, of the mean variance of a hidden dimension."""


def probed(probe: str, trial: Trial, items: int) -> dict[str, Measured]:
    """The findings of one of ``design.PROBES``, by what it varies; what a scheme refuses is left out."""
    return {"sliding": sliding, "shuffle": shuffle, "position": position}[probe](trial, items)


def sliding(trial: Trial, items: int) -> dict[str, Measured]:
    """Loss of the same tokens with more and more before them, by the length of the window."""
    task = trial.task
    assert isinstance(task, NextToken)
    found = {}
    for length in task.lengths:
        try:
            found[str(length)] = trial.tested(task.sliding(items, length))[0]
        except ClockhandsError:
            trial.model.train()
    return found


def shuffle(trial: Trial, items: int) -> dict[str, Measured]:
    """Loss of the end of a window with what is before it in its order, and shuffled."""
    task = trial.task
    assert isinstance(task, NextToken)
    return {
        name: trial.tested(task.shuffled(items, ordered=name == "ordered"))[0]
        for name in ("ordered", "shuffled")
    }


@torch.no_grad()
def position(trial: Trial, items: int) -> dict[str, Measured]:
    """How far a linear map of the hidden states is from the position, tokens, by layer.

    Ridge regression on half of the items, its mean absolute error on each of the others; items have the
    training length, so that nothing but the content tells the position (Haviv et al. 2022, arXiv 2203.16634,
    probe with an MLP). Layer 0 is what enters the first block.
    """
    task = trial.task
    tests = task.test(0, task.length, items)
    collected: list[list[Tensor]] = [[] for _ in range(len(trial.model.blocks) + 1)]

    def keep(layer: int, values: Tensor) -> None:
        collected[layer].append(values)

    first, *_ = blocks = list(trial.model.blocks)
    handles = [first.register_forward_pre_hook(lambda _, given: keep(0, given[0]))]
    for layer, block in enumerate(blocks, start=1):
        handles.append(block.register_forward_hook(_keeping(keep, layer)))
    trial.model.eval()
    try:
        for part in trial.parts(tests):
            trial.hidden(part, trial.given(part)[0])
    finally:
        trial.model.train()
        for handle in handles:
            handle.remove()
    found = {}
    for layer, parts in enumerate(collected):
        errors = position_errors(torch.cat(parts).double().cpu().numpy())
        scores = tuple(round(float(one), 4) for one in errors.mean(axis=1))
        places = tuple(round(float(one), 4) for one in errors.mean(axis=0))
        found[str(layer)] = Measured(scores, 0.0, places)
    return found


def _keeping(keep: Callable[[int, Tensor], None], layer: int) -> Callable[[Any, Any, Any], None]:
    """A block gives its hidden states and what it keeps of them."""
    return lambda _block, _given, out: keep(layer, out[0])


def position_errors(hidden: NDArray[np.float64]) -> NDArray[np.float64]:
    """Absolute errors ``(rows of the second half, t)``, tokens, of a ridge regression on the first half.

    hidden  ``(rows, t, dim)``

    >>> ramp = np.arange(6.0)[None, :, None] + np.zeros((4, 1, 1))
    >>> bool(position_errors(ramp).max() < 0.01)
    True
    """
    rows, width, dim = hidden.shape
    half = rows // 2
    places = np.tile(np.arange(width, dtype=np.float64), half)
    known = hidden[:half].reshape(-1, dim)
    centre, middle = known.mean(axis=0), places.mean()
    known = known - centre
    gram = known.T @ known
    gram += np.eye(dim) * max(RIDGE * gram.trace() / dim, 1e-12)
    weights = np.linalg.solve(gram, known.T @ (places - middle))
    said = (hidden[half:] - centre) @ weights + middle
    return np.abs(said - np.arange(width))
