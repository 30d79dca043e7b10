"""Fair timing: contenders take turns, ratios are taken within a turn, results say where they were made."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import machine

RESULTS = Path(__file__).parent / "results"
Seconds = dict[str, list[float]]
LEAST = 3
"""Turns that are taken however long they last."""


@dataclass(frozen=True)
class Contender:
    """``run`` is timed ``repeats`` times a turn, and the turn's time is their median."""

    name: str
    run: Callable[[], object]
    repeats: int = 1


@dataclass(frozen=True)
class Report:
    """A title, and paragraphs or tables of Markdown."""

    title: str
    parts: tuple[str, ...]

    def write(self, name: str) -> Path:
        measured = f"Measured on {datetime.now(UTC):%Y-%m-%d} by `python -m benchmarks {name}`."
        where = table(("machine", ""), machine.described())
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{name}.md"
        path.write_text(
            "\n\n".join((f"# {self.title}", measured, *self.parts, where)) + "\n", encoding="utf-8"
        )
        return path


def take_turns(contenders: Sequence[Contender], turns: int, within: float | None = None) -> Seconds:
    """Seconds of each contender in each turn.

    Even turns go forward, odd ones backward, so that nobody always runs in the wake of the same other. Every
    contender runs once before the first turn, not counted.

    within  about so many seconds in all: fewer turns are taken where they last longer, ``LEAST`` at least
    """
    for contender in contenders:
        contender.run()
    seconds: Seconds = {contender.name: [] for contender in contenders}
    begun = time.perf_counter()
    for turn in range(turns):
        spent = time.perf_counter() - begun
        if within is not None and turn >= LEAST and spent * (turn + 1) / turn > within:
            break
        for contender in contenders if turn % 2 == 0 else reversed(contenders):
            seconds[contender.name].append(
                statistics.median(_timed(contender.run) for _ in range(contender.repeats))
            )
    return seconds


def ratios(slow: Sequence[float], fast: Sequence[float]) -> str:
    """How many times faster, turn by turn: median and range."""
    each = [a / b for a, b in zip(slow, fast, strict=True)]
    return f"{number(statistics.median(each))} ({number(min(each))} to {number(max(each))})"


def verdict(what: str, value: float, target: float, *, most: bool, because: str = "") -> str:
    """A line that holds a measured value against its target.

    most     the target is the most that is allowed; else the least
    because  why it is missed where it is missed

    >>> verdict("in place", 0.5, 0.6, most=True)
    '- in place: 0.5, and at most 0.6 was asked: reached'
    >>> verdict("forward", 2.0, 3.5, most=False, because="it starts cold")
    '- forward: 2, and at least 3.5 was asked: **missed**: it starts cold'
    """
    reached = value <= target if most else value >= target
    said = "reached" if reached else f"**missed**{f': {because}' if because else ''}"
    bound = f"at {'most' if most else 'least'} {number(target)}"
    return f"- {what}: {number(value)}, and {bound} was asked: {said}"


def median_ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """Median over turns of how many times longer one took than the other."""
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))


def spread(values: Sequence[float], unit: str, scale: float = 1.0) -> str:
    """Median and range of some turns."""
    scaled = [value * scale for value in values]
    return f"{number(statistics.median(scaled))} {unit} ({number(min(scaled))} to {number(max(scaled))})"


def number(value: float) -> str:
    """Three digits, thousands apart.

    >>> number(2345.6), number(0.01234)
    ('2,346', '0.0123')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
