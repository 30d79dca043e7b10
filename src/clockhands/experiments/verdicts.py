"""What became of each hypothesis of a recipe: held up, contradicted, or left open, never a word more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clockhands.experiments.design import Design
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.measures import of_shared_items, values
from clockhands.experiments.promise import LEVEL
from clockhands.experiments.rows import Row
from clockhands.experiments.statistics import Interval, bootstrap, holm, sign_flip

RESAMPLES = 4_000

Outcome = Literal["supported", "contradicted", "open", "waiting", "undefined"]


@dataclass(frozen=True)
class Verdict:
    """One hypothesis after the seeds that there are.

    outcome    ``supported`` or ``contradicted`` where the corrected p is at most 0.05 and all intervals lie
               on one side; ``open`` where not; ``waiting`` while seeds are missing or failed; ``undefined``
               where a scheme has no such number, which is what some hypotheses say
    intervals  of the mean over seeds, one for each scheme compared with (or one, for a bound): the measure of
               the scheme minus that of the other, or minus the bound
    seeds      pairs that there are, of how many planned
    p          of the exact sign-flip test, the largest of several; corrected: after Holm over all hypotheses
    """

    hypothesis: Hypothesis
    outcome: Outcome
    seeds: tuple[int, int]
    intervals: tuple[Interval, ...] = ()
    p: float | None = None
    corrected: float | None = None


def verdicts(
    hypotheses: Sequence[Hypothesis], found: Mapping[str, tuple[Design, Sequence[Row]]]
) -> list[Verdict]:
    """Of all hypotheses together.

    found  by task: the design that has it, and the rows of its store

    A hypothesis whose seeds are not all there is shown with what it has and decided by nothing: it counts in
    the correction with a p of 1. One that says that there is no number is no test and does not count.
    """
    judged = [_judged(one, *found[one.task]) for one in hypotheses]
    tested = [at for at, one in enumerate(hypotheses) if not one.undefined]
    ps = [1.0 if p is None or not whole else p for *_, p, whole in (judged[at] for at in tested)]
    after = dict(zip(tested, holm(ps), strict=True)) if tested else {}
    corrected = [after.get(at, 1.0) for at in range(len(judged))]
    return [
        Verdict(
            hypothesis, _outcome(hypothesis, intervals, after, whole, undefined), seeds, intervals, p,
            after if whole and p is not None else None,
        )
        for hypothesis, (intervals, seeds, undefined, p, whole), after in zip(
            hypotheses, judged, corrected, strict=True
        )
    ]  # fmt: skip


_Judged = tuple[tuple[Interval, ...], tuple[int, int], bool, float | None, bool]


def _judged(one: Hypothesis, design: Design, rows: Sequence[Row]) -> _Judged:
    lengths = design.about(one.task).lengths
    shared = of_shared_items(design.about(one.task), one.measure)
    final = [row for row in rows if (row.stage, row.task) == ("final", one.task)]
    mine = {row.seed: row for row in final if row.scheme == one.scheme}
    measured = {seed: values(row, one.measure, lengths) for seed, row in mine.items()}
    well = [seed for seed, row in mine.items() if row.failed is None]
    undefined = bool(well) and all(measured[seed] is None for seed in well)
    intervals, ps, counts = [], [], []
    for other in one.than or (None,):
        against = {row.seed: row for row in final if row.scheme == other}
        differences = []
        for seed in sorted(mine):
            here, there = measured[seed], _other(against.get(seed), other, one, lengths)
            if here is not None and there is not None:
                count = len(here) if there.size == 1 else min(len(here), len(there))
                differences.append(here[:count] - (there if there.size == 1 else there[:count]))
        counts.append(len(differences))
        if differences:
            width = min(map(len, differences))
            scores = np.array([each[:width] for each in differences])
            intervals.append(bootstrap(scores, np.mean, shared=shared, resamples=RESAMPLES))
            ps.append(sign_flip(scores.mean(axis=1)))
    seeds = len(well) if one.undefined else min(counts)
    whole = seeds == design.seeds and not (undefined and not one.undefined)
    p = max(ps) if len(ps) == len(counts) and not one.undefined else None
    return tuple(intervals), (seeds, design.seeds), undefined, p, whole


def _other(
    row: Row | None, other: str | None, one: Hypothesis, lengths: Sequence[int]
) -> NDArray[np.float64] | None:
    """What it is compared with: the bound, or the other scheme with the same seed."""
    if other is None:
        return np.array([one.bound])
    return None if row is None else values(row, one.measure, lengths)


def _outcome(
    one: Hypothesis, intervals: Sequence[Interval], corrected: float, whole: bool, undefined: bool
) -> Outcome:
    if one.undefined:
        if not whole:
            return "waiting"
        return "supported" if undefined else "contradicted"
    if undefined:
        return "undefined"
    if not whole:
        return "waiting"
    if corrected > LEVEL:
        return "open"
    if one.sign == 0:
        return "supported" if all(interval.excludes_zero for interval in intervals) else "open"
    if all(interval.low * one.sign > 0 and interval.high * one.sign > 0 for interval in intervals):
        return "supported"
    if any(interval.low * one.sign < 0 and interval.high * one.sign < 0 for interval in intervals):
        return "contradicted" if len(intervals) == 1 else "open"
    return "open"
