"""What a trial found: perplexities, losses by position, the same tokens at every length, passkeys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clockhands.extend.trials.design import AS_GIVEN, DEPTHS, Cell, Design
from clockhands.extend.trials.store import Row, Store

BLOCKS, LEAST = 32, 4
"""Runs of tokens that an interval is made from, and the fewest tokens of one: neighbours hang together."""

WITHIN = 1.96
"""Standard errors on each side of a mean: 95 %."""


class Mean(NamedTuple):
    """A mean, and how far an interval of 95 % reaches to each side; nan with too few tokens for one."""

    value: float
    either_side: float

    @property
    def low(self) -> float:
        return self.value - self.either_side

    @property
    def high(self) -> float:
        return self.value + self.either_side


@dataclass(frozen=True)
class Found:
    """design   what was asked; rows: what ended, by cell; path: the folder, None without one"""

    design: Design
    rows: Mapping[Cell, Row]
    path: Path | None = None

    @property
    def seconds(self) -> float:
        """That reading took."""
        return sum(row.seconds for row in self.rows.values())

    @property
    def whole(self) -> bool:
        """Whether all windows were read."""
        return len(self.rows) == len(self.design.cells())

    def loss(self, method: str, length: int) -> Mean | None:
        """Nats a token over whole windows; None while one of them is missing."""
        rows = [self._row("window", method, length, index) for index in range(self.design.windows(length))]
        read = [row.losses for row in rows if row is not None]
        return mean_of(np.concatenate(read)) if len(read) == len(rows) else None

    def perplexity(self, method: str, length: int) -> float | None:
        """exp of the mean loss over whole windows."""
        loss = self.loss(method, length)
        return None if loss is None else float(np.exp(loss.value))

    def by_position(self, method: str, length: int) -> NDArray[np.float64] | None:
        """Mean loss at each position of a window, ``(length,)``, nats, of the windows that were read."""
        rows = [self._row("window", method, length, index) for index in range(self.design.windows(length))]
        read = [row.losses for row in rows if row is not None]
        return np.mean(read, axis=0) if read else None

    def same_tokens(self, method: str, length: int) -> NDArray[np.float64] | None:
        """Losses of the tokens that every length is asked for, nats, in the order of the text.

        They are the last ``design.part`` ones of each sliding window; None while one of these is missing.
        """
        part, slides = self.design.part, self.design.slides
        rows = [self._row("window", method, length, 0)]
        rows += [self._row("sliding", method, length, index) for index in range(1, slides)]
        read = [row.losses[-part:] for row in rows if row is not None]
        return np.concatenate(read[::-1]) if len(read) == slides else None

    def rise(self, method: str, length: int) -> Mean | None:
        """How much more the same tokens cost than the model as given pays for them at the first length."""
        there, before = self.same_tokens(method, length), self.same_tokens(AS_GIVEN, self.design.lengths[0])
        return None if there is None or before is None else mean_of(there - before)

    def between(self, method: str, other: str, length: int) -> Mean | None:
        """How much more the same tokens cost one method than another, at one length."""
        here, there = (self.same_tokens(each, length) for each in (method, other))
        return None if here is None or there is None else mean_of(here - there)

    def retrieved(self, method: str, length: int) -> tuple[int, int]:
        """Passkeys that were said right, of how many that were asked for so far."""
        rows = [self._row("passkey", method, length, index) for index in range(len(DEPTHS))]
        told = [row.retrieved for row in rows if row is not None]
        return sum(bool(each) for each in told), len(told)

    def passkeys(self, length: int) -> NDArray[np.float64]:
        """1 retrieved, 0 not, nan not asked: ``(methods, depths)``."""
        values = np.full((len(self.design.methods), len(DEPTHS)), np.nan)
        for at, method in enumerate(self.design.methods):
            for index in range(len(DEPTHS)):
                row = self._row("passkey", method, length, index)
                if row is not None and row.retrieved is not None:
                    values[at, index] = row.retrieved
        return values

    def best(self, length: int) -> tuple[str, tuple[str, ...]] | None:
        """The method that the same tokens cost least at a length, and those that can't be told from it.

        None while one of the methods is missing there.
        """
        costs = {method: self.same_tokens(method, length) for method in self.design.methods}
        if any(each is None for each in costs.values()):
            return None
        first = min(costs, key=lambda method: float(np.mean(costs[method])))  # type: ignore[arg-type]
        beside = []
        for method in self.design.methods:
            gap = self.between(method, first, length)
            if method != first and gap is not None and not gap.low > 0:
                beside.append(method)
        return first, tuple(beside)

    def _row(self, kind: str, method: str, length: int, index: int) -> Row | None:
        return self.rows.get(Cell(kind, method, length, index))  # type: ignore[arg-type]


def found_in(store: Store) -> Found:
    """What a folder holds so far. ClockhandsError where it holds no trial."""
    design = store.design()
    return Found(design, store.rows(design), store.path)


def mean_of(values: NDArray[np.float64]) -> Mean:
    """The mean of neighbouring tokens, its interval from runs of them.

    >>> mean_of(np.zeros(64)), mean_of(np.asarray([1.0, 2.0, 3.0]))
    (Mean(value=0.0, either_side=0.0), Mean(value=2.0, either_side=nan))
    """
    count = min(BLOCKS, len(values) // LEAST)
    if count < 2:
        return Mean(float(np.mean(values)), float("nan"))
    means = np.array([float(np.mean(run)) for run in np.array_split(values, count)])
    return Mean(float(np.mean(values)), float(WITHIN * np.std(means, ddof=1) / np.sqrt(count)))
