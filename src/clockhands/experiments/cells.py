"""From a design to its cells: single trainings, each named by all that determines its numbers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

from clockhands.experiments.design import FIRST_TUNING_SEED, OF_TEXTS, Contender, Design
from clockhands.experiments.tasks import kind_of_task

RESULTS = 4
"""Raised whenever the same cell would give other numbers than before, whatever its task."""

Stage = Literal["tuning", "final"]


@dataclass(frozen=True)
class Cell:
    """One training. ``rate`` is None where cells of the stage ``tuning`` choose it."""

    id: str
    stage: Stage
    scheme: Contender
    task: str
    seed: int
    steps: int
    rate: float | None


def cells(design: Design) -> tuple[Cell, ...]:
    """All of them, in the order in which they run: what chooses rates first, then seed by seed.

    So a run that is stopped half-way has some seeds of everything, not all seeds of something.

    >>> [cell.seed for cell in cells(Design(schemes=("rope", "nope"), tasks=("copy",), seeds=2))]
    [0, 0, 1, 1]
    """
    tuning = [
        _cell(design, "tuning", scheme, task, FIRST_TUNING_SEED + seed, design.tuning_steps, rate)
        for seed in range(design.tuning_seeds)
        for task in design.tasks
        for scheme in design.schemes
        for rate in design.rates
    ]
    rate = None if design.tunes else design.rates[0]
    final = [
        _cell(design, "final", scheme, task, seed, design.steps, rate)
        for seed in range(design.seeds)
        for task in design.tasks
        for scheme in design.schemes
    ]
    return (*(tuning if design.tunes else ()), *final)


def _cell(
    design: Design, stage: Stage, scheme: Contender, task: str, seed: int, steps: int, rate: float | None
) -> Cell:
    """Whatever determines the numbers goes into its name, and nothing else: no other scheme, no date."""
    kind, about = kind_of_task(task), design.about(task)
    steps = design.steps_of(scheme, task, steps)
    determines: dict[str, Any] = {
        "results": RESULTS, "stage": stage, "scheme": scheme.id, "parameters": dict(scheme.parameters),
        "task": task, "version": kind.version, "length": about.length, "lengths": list(about.lengths),
        "seed": seed, "steps": steps, "batch": design.batch, "items": design.items,
        "model": vars(design.model), "narrowed": design.matching == "parameters",
    }  # fmt: skip
    if scheme.randomised_to is not None:
        determines["randomised_to"] = scheme.randomised_to
    if kind.reads_text:
        determines["text"] = design.text_sha256
    probes = probes_of(design, task) if stage == "final" else ()
    if probes:
        determines["probes"] = list(probes)
    if rate is None:
        determines |= {
            "rates": list(design.rates),
            "tuning_seeds": design.tuning_seeds,
            "tuning_steps": design.tuning_steps,
        }
    else:
        determines["rate"] = rate
    written = json.dumps(determines, sort_keys=True, ensure_ascii=True)
    return Cell(hashlib.sha256(written.encode()).hexdigest()[:16], stage, scheme, task, seed, steps, rate)


def probes_of(design: Design, task: str) -> tuple[str, ...]:
    """Those probes of a design that can be made of a task."""
    kind = kind_of_task(task)
    reads_on = kind.reads_text and kind.causal
    return tuple(probe for probe in design.probes if reads_on or probe not in OF_TEXTS)
