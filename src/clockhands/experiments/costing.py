"""What a step of each scheme costs beside one without positions, for comparisons at equal cost."""

from __future__ import annotations

import time

import numpy as np

from clockhands.experiments.building import REFERENCE
from clockhands.experiments.design import Contender, Design
from clockhands.experiments.failing import blaming
from clockhands.experiments.trial import Trial

TURNS = 7
"""Timed steps of each; the median counts, so that one disturbed step does not."""


def costed(design: Design) -> Design:
    """The design with ``costs`` filled in, where its matching needs them and they are not there yet."""
    if design.matching == "parameters" or design.costs:
        return design
    measure = _flops if design.matching == "flops" else _seconds
    costs: dict[str, dict[str, float]] = {}
    for task in design.tasks:
        found = measure(design, task)
        for label, cost in found.items():
            costs.setdefault(label, {})[task] = round(cost, 3)
    return design.with_(costs=costs)


def _trials(design: Design, id: str) -> tuple[Trial, dict[str, Trial]]:
    task = design.task(id)

    def of(one: Contender) -> Trial:
        return Trial(design, one, task, 0, TURNS + 1, design.rates[0])

    return of(REFERENCE), {one.label: of(one) for one in design.schemes}


def _flops(design: Design, id: str) -> dict[str, float]:
    def of(trial: Trial) -> int:
        with blaming(trial.scheme.label, id):
            return trial.costs()[0]

    reference, trials = _trials(design, id)
    return {label: of(trial) / of(reference) for label, trial in trials.items()}


def _seconds(design: Design, id: str) -> dict[str, float]:
    """Steps of all are taken in turns, so that what else the machine does falls on all alike."""
    reference, trials = _trials(design, id)
    every = [reference, *trials.values()]
    taken: list[list[float]] = [[] for _ in every]
    for step in range(TURNS + 1):
        for trial, times in zip(every, taken, strict=True):
            begun = time.perf_counter()
            with blaming(trial.scheme.label, id):
                loss, _ = trial.loss(step)
                trial.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                trial.optimizer.step()
            times.append(time.perf_counter() - begun)
    first, *others = (float(np.median(times[1:])) for times in taken)  # the first step warms up
    return {label: seconds / first for label, seconds in zip(trials, others, strict=True)}
