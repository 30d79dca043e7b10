"""The similarity of 1,000 positions at d = 512 as a real array, against the way it is usually written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Contender, Report, ratios, spread, table, take_turns
from clockhands.analysis.similarity import similarity, table_similarity
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.formulas.sinusoid import sinusoid

POSITIONS, WIDTH, TURNS, REPEATS = 1000, 512, 5, 15
LOOP, PRODUCT, TABLE, OURS = (
    "double loop with np.dot and np.linalg.norm",
    "plain matrix product: rows normalised, `rows @ rows.T`",
    "`table_similarity(table)`",
    "`similarity(inv_freq, 1000)`",
)


def double_loop(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cell by cell, both norms computed anew for each."""
    n = len(rows)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = np.dot(rows[i], rows[j]) / (np.linalg.norm(rows[i]) * np.linalg.norm(rows[j]))
    return found


def matrix_product(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def measure() -> Report:
    inv_freq = default_inv_freq(WIDTH)
    rows = sinusoid(np.arange(POSITIONS), inv_freq)
    contenders = (
        Contender(LOOP, lambda: double_loop(rows)),
        Contender(PRODUCT, lambda: matrix_product(rows), REPEATS),
        Contender(TABLE, lambda: table_similarity(rows), REPEATS),
        Contender(OURS, lambda: similarity(inv_freq, POSITIONS), REPEATS),
    )
    expected = double_loop(rows)
    error = max(
        float(np.abs(found - expected).max())
        for found in (
            matrix_product(rows),
            table_similarity(rows).values,
            similarity(inv_freq, POSITIONS).values,
        )
    )
    seconds = take_turns(contenders, TURNS)
    lines = [(name, spread(took, "ms", 1e3), ratios(seconds[LOOP], took)) for name, took in seconds.items()]
    return Report(
        "Similarity of 1,000 positions at d = 512",
        (
            f"All four return the same array of 1,000 x 1,000 float64 (largest difference {error:.1e}). The "
            "table of sines and cosines is made beforehand for the three that need it; `similarity` makes "
            f"its own curve. {TURNS} turns in alternation, each the median of {REPEATS} runs "
            "(the loop: 1 run); median and range.",
            table(("", "time", "times faster than the loop"), lines),
        ),
    )
