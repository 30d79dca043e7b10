"""Similarity and its curve at d = 512, for a thousand to a hundred million positions, beside what others do.

Needs scikit-learn for its row; without it the row says so. About three minutes.
"""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Contender, Report, number, ratios, spread, table, take_turns
from benchmarks.kernel import CURVE, DIRECT, MAP, WIDTH, Run, run
from clockhands.analysis.similarity import similarity, table_similarity
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.formulas.sinusoid import sinusoid

MATRICES = {1000: 15, 10_000: 1}
"""Positions of whole matrices, and runs a turn. A matrix of 100,000 positions would take 80 GB."""
MATRIX_TURNS = 3
LOOP, PRODUCT, LEARN, TABLE, OURS = (
    "double loop with np.dot and np.linalg.norm (article A)",
    "numpy: rows normalised, `rows @ rows.T`",
    "scikit-learn's `cosine_similarity(rows)`",
    "`table_similarity(rows)`",
    "`similarity(inv_freq, n)`",
)
LONGEST_LOOP = 1000

LENGTHS = tuple(10**power for power in range(3, 9))
LENGTH_TURNS = 3
LONGEST_DIRECT = 10**6
"""Direct evaluation is linear in the number of distances, so more would only take longer."""
FACTS = {
    "the curve: `kernel_range`": CURVE,
    "numpy: `np.cos(k * inv_freq).mean()`": DIRECT,
    "first rise, lowest, echo: `horizon`": "horizon(w, n)",
    "aliases and nearest return: `uniqueness`": "uniqueness(w, n)",
    "the matrix as 1,024 x 1,024 block means: `kernel_map`": MAP,
}

Matrix = NDArray[np.float64]


def double_loop(rows: Matrix) -> Matrix:
    """Cell by cell, both norms computed anew for each."""
    n = len(rows)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = np.dot(rows[i], rows[j]) / (np.linalg.norm(rows[i]) * np.linalg.norm(rows[j]))
    return found


def matrix_product(rows: Matrix) -> Matrix:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def ways(n: int) -> dict[str, Callable[[], Matrix]]:
    """Everything that makes the matrix of ``n`` positions; the table of hands is made beforehand."""
    inv_freq = default_inv_freq(WIDTH)
    rows = sinusoid(np.arange(n), inv_freq)
    found: dict[str, Callable[[], Matrix]] = {}
    if n <= LONGEST_LOOP:
        found[LOOP] = lambda: double_loop(rows)
    found[PRODUCT] = lambda: matrix_product(rows)
    if find_spec("sklearn"):
        cosine = importlib.import_module("sklearn.metrics.pairwise").cosine_similarity
        found[LEARN] = lambda: cosine(rows)
    found[TABLE] = lambda: table_similarity(rows).values
    found[OURS] = lambda: similarity(inv_freq, n).values
    return found


def disagreement(made: dict[str, Callable[[], Matrix]]) -> float:
    """The largest difference of any of them from the plain product."""
    expected = made[PRODUCT]()
    return max(float(np.abs(way() - expected).max()) for name, way in made.items() if name != PRODUCT)


def matrices() -> list[tuple[str, ...]]:
    """One row for each size and way."""
    rows: list[tuple[str, ...]] = []
    for n, repeats in MATRICES.items():
        made = ways(n)
        apart = disagreement(made)
        contenders = [Contender(name, way, 1 if name == LOOP else repeats) for name, way in made.items()]
        seconds = take_turns(contenders, MATRIX_TURNS)
        for name in (LOOP, PRODUCT, LEARN, TABLE, OURS):
            if name in seconds:
                faster = ratios(seconds[PRODUCT], seconds[name])
                rows.append((f"{n:,}", name, spread(seconds[name], "ms", 1e3), faster, f"{apart:.0e}"))
            else:
                why = "not installed" if name == LEARN else f"not run past {LONGEST_LOOP:,}"
                rows.append((f"{n:,}", name, why, "", ""))
    return rows


def told(runs: list[Run]) -> str:
    """Time and what the call added to memory."""
    grown = statistics.median(one.after - one.before for one in runs) / 1e6
    return f"{number(statistics.median(one.seconds for one in runs))} s, {grown:,.0f} MB"


def lengths() -> tuple[list[tuple[str, ...]], str]:
    """One row for each number of positions, and how exact the longest curve is."""
    rows: list[tuple[str, ...]] = []
    for n in LENGTHS:
        calls = [call for call in FACTS.values() if call != DIRECT or n <= LONGEST_DIRECT]
        runs: dict[str, list[Run]] = {call: [] for call in calls}
        for turn in range(LENGTH_TURNS):
            for call in calls if turn % 2 == 0 else reversed(calls):
                runs[call].append(run(call, n))
        rows.append((f"10^{len(str(n)) - 1}", *(told(runs[c]) if c in runs else "" for c in FACTS.values())))
    return rows, f"{run(CURVE, LENGTHS[-1], check=True).error:.1e}"


def _peer() -> str:
    return f"scikit-learn is {version('scikit-learn')}." if find_spec("sklearn") else ""


def measure() -> Report:
    facts, error = lengths()
    return Report(
        f"Similarity of a thousand to a hundred million positions at d = {WIDTH}",
        (
            "The whole matrix, float64. `similarity` makes its own curve; the others are given the table of "
            "sines and cosines. `table_similarity` looks besides for numbers that are not finite and for "
            "rows that have no direction, and names both axes, which is felt where a matrix is small. The "
            "last column is the largest difference of any way from numpy's product. "
            f"{MATRIX_TURNS} turns in alternation, each the median of "
            f"{' or '.join(map(str, MATRICES.values()))} runs; median and range.",
            table(("positions", "", "time", "times numpy's speed", "apart"), matrices()),
            "What the matrix says, without the matrix: median seconds of the first call in a process of its "
            f"own, and what that call added to its memory; {LENGTH_TURNS} turns in alternation.",
            table(("distances", *FACTS), facts),
            f"At {LENGTHS[-1]:,} distances the curve differs by {error} at most from values whose angles "
            f"have 106 bits (some 10,000 of them). Direct evaluation is not run past {LONGEST_DIRECT:,}: its "
            f"time is linear. {_peer()}",
        ),
    )
