"""What a comparison found, and how much of it the seeds support: numpy alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design
from clockhands.experiments.measures import of_shared_items, values
from clockhands.experiments.promise import LEVEL, SUCCESS, comparisons
from clockhands.experiments.rows import Row
from clockhands.experiments.statistics import (
    Interval,
    Summary,
    bootstrap,
    holm,
    minimum_detectable_effect,
    seeds_needed,
    sign_flip,
    smallest_p,
    summary,
    wilson,
)  # fmt: skip
from clockhands.experiments.store import Store
from clockhands.language import Text

RESAMPLES = 4_000


@dataclass(frozen=True)
class Standing:
    """One scheme on one task; where no seed ended well, ``within`` and ``past`` are None.

    rows         its seeds, in order; by_length: mean score of each ``(lengths, seeds)``, nan where it failed
    within       median over seeds of the score at the training length, with its interval
    past         the same over all longer lengths together: the primary outcome
    successes    seeds with 0.9 or more past it, of how many, and the interval of the share; None for a loss
    """

    scheme: str
    task: str
    exact: bool
    rows: tuple[Row, ...]
    lengths: tuple[int, ...]
    by_length: NDArray[np.float64]
    within: Interval | None
    past: Interval | None
    spread: Summary | None
    successes: tuple[int, int, float, float] | None

    @property
    def failed(self) -> int:
        """Seeds without numbers."""
        return sum(row.failed is not None for row in self.rows)

    @property
    def undefined(self) -> dict[int, Text]:
        """Lengths at which the scheme has no numbers by its nature, and what it says of them."""
        return {length: says for row in self.rows for length, says in row.undefined.items()}

    @property
    def defined(self) -> bool:
        """Whether it has numbers at every length."""
        return not self.undefined

    @property
    def by_place(self) -> NDArray[np.float64]:
        """Loss of each token of the longest windows that it has numbers for ``(tokens, seeds)``, nats, nan
        where a seed failed; no tokens where the task counts right answers, or an encoder reads it."""
        each = [row.measured[max(row.measured)].by_place if row.measured else () for row in self.rows]
        tokens = max(map(len, each), default=0)
        return np.array([one or (np.nan,) * tokens for one in each]).reshape(len(each), tokens).T


@dataclass(frozen=True)
class Pair:
    """First minus second scheme in the primary outcome, paired by seed.

    p, corrected  of the exact sign-flip test, and after Holm over all pairs of the comparison
    detectable    mean difference that so many seeds with this spread would find four times in five, at the
                  level that Holm asks of the first of all tests; infinite where none could
    supported     whether the corrected p is at most 0.05 and the interval excludes 0
    better        the better one, where that is supported
    """

    task: str
    first: str
    second: str
    difference: Interval
    p: float
    corrected: float
    detectable: float
    better: str | None

    @property
    def supported(self) -> bool:
        """Whether anything may be said of who is better."""
        return self.better is not None


class Power(NamedTuple):
    """What the number of seeds allows: the smallest p, and how many seeds all tests together would need."""

    seeds: int
    tests: int
    smallest_p: float
    seeds_needed: int

    @property
    def enough(self) -> bool:
        """Whether any of the tests can reach 0.05 after correction."""
        return self.seeds >= self.seeds_needed


@dataclass(frozen=True)
class Report:
    """All of it. ``untested``: pairs with a failed or missing seed; ``cells``: finished, of how many;
    ``seconds``: spent in all that ended, those that choose learning rates included."""

    design: Design
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    untested: tuple[tuple[str, str, str], ...]
    cells: tuple[int, int]
    power: Power
    seconds: float

    @property
    def updates(self) -> int:
        """Steps of training that the whole comparison takes."""
        return sum(cell.steps for cell in cells(self.design))

    def order(self, task: str) -> tuple[str, ...] | None:
        """Schemes from best to worst, only where each neighbouring pair is supported; else None."""
        labels = [scheme.label for scheme in self.design.schemes]
        here = [pair for pair in self.pairs if pair.task == task]
        found = {frozenset((pair.first, pair.second)): pair.better for pair in here}
        wins = {label: sum(better == label for better in found.values()) for label in labels}
        ranked = sorted(labels, key=lambda label: -wins[label])
        for better, worse in pairwise(ranked):
            if found.get(frozenset((better, worse))) != better:
                return None
        return tuple(ranked)


def report(store: Store) -> Report:
    """Read a comparison, finished or not. ClockhandsError if the folder holds none."""
    design = store.design("")  # nothing here reads the text, which takes long to cut into words
    ended = store.rows(design)
    rows = [row for row in ended if row.stage == "final"]
    standings = [
        _standing(
            design,
            scheme.label,
            task,
            [row for row in rows if (row.scheme, row.task) == (scheme.label, task)],
        )
        for task in design.tasks
        for scheme in design.schemes
    ]
    every = cells(design)
    done = len(every) - sum(1 for _ in store.missing(design))
    named = {(one.task, one.scheme): one for one in standings}
    tests = comparisons(design)
    whole = [
        (task, first, second)
        for task, first, second in tests
        if all(
            len(named[task, one].rows) == design.seeds
            and not named[task, one].failed
            and named[task, one].defined
            for one in (first, second)
        )
    ]
    return Report(
        design, tuple(standings), tuple(_pairs(design, named, whole, len(tests))),
        tuple(test for test in tests if test not in whole), (done, len(every)),
        Power(design.seeds, len(tests), smallest_p(design.seeds), seeds_needed(len(tests), LEVEL)),
        sum(row.seconds for row in ended),
    )  # fmt: skip


def _standing(design: Design, scheme: str, id: str, rows: Sequence[Row]) -> Standing:
    task = design.about(id)
    lengths, exact, shared = task.lengths, task.exact, of_shared_items(task, "past")
    well = [row for row in rows if row.failed is None]
    by_length = np.array(
        [[row.measured[n].mean if n in row.measured else np.nan for row in rows] for n in lengths]
    ).reshape(len(lengths), len(rows))
    within = [one for row in well if (one := values(row, "within", lengths)) is not None]
    past = [one for row in well if (one := values(row, "past", lengths)) is not None]
    by_seed = np.array([one.mean() for one in past])
    successes = None
    if exact and past:
        count = int((by_seed >= SUCCESS).sum())
        successes = (count, len(rows), *wilson(count, len(rows)))
    return Standing(
        scheme, id, exact, tuple(rows), lengths, by_length,
        bootstrap(np.array(within), shared=shared, resamples=RESAMPLES) if within else None,
        bootstrap(np.array(past), shared=shared, resamples=RESAMPLES) if past else None,
        summary(by_seed) if past else None, successes,
    )  # fmt: skip


def _pairs(
    design: Design,
    named: dict[tuple[str, str], Standing],
    tests: Sequence[tuple[str, str, str]],
    planned: int,
) -> list[Pair]:
    """Of all pairs without a failed seed; those that can't be tested count in the correction all the same."""
    found = []
    for task, first, second in tests:
        one, other = named[task, first], named[task, second]
        differences = np.array([
            _past(a, one.lengths) - _past(b, one.lengths) for a, b in zip(one.rows, other.rows, strict=True)
        ])  # fmt: skip
        by_seed = differences.mean(axis=1)
        shared = of_shared_items(design.about(task), "past")
        difference = bootstrap(differences, np.mean, shared=shared, resamples=RESAMPLES)
        found.append((difference, by_seed, sign_flip(by_seed), one.exact))
    corrected = (
        holm([p for *_, p, _ in found] + [1.0] * (planned - len(found)))[: len(found)] if found else []
    )
    pairs: list[Pair] = []
    least = minimum_detectable_effect(design.seeds, LEVEL / planned) if found else math.inf
    for (task, first, second), (difference, by_seed, p, exact), after in zip(
        tests, found, corrected, strict=True
    ):
        spread = float(by_seed.std(ddof=1)) if len(by_seed) > 1 else 0.0
        detectable = spread * least if spread else math.inf
        better = None
        if after <= LEVEL and difference.excludes_zero:
            better = first if (difference.value > 0) == exact else second
        pairs.append(Pair(task, first, second, difference, p, after, detectable, better))
    return pairs


def _past(row: Row, lengths: tuple[int, ...]) -> NDArray[np.float64]:
    found = values(row, "past", lengths)
    assert found is not None
    return found
