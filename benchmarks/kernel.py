"""The similarity curve of 1,000,000 distances at d = 512 in new processes: time, memory, exactness."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import NamedTuple

from benchmarks.harness import Report, ratios, spread, table

TURNS = 5
DISTANCES, WIDTH = 10**6, 512

_PROGRAM = """
import json, sys, time
from pathlib import Path
import numpy as np
from clockhands.analysis.horizon import horizon
from clockhands.analysis.kernel import kernel, kernel_range
from clockhands.analysis.kernel_map import kernel_map
from clockhands.analysis.uniqueness import uniqueness
from clockhands.formulas.frequencies import default_inv_freq

def peak():
    "Largest resident memory of this very program, bytes; ru_maxrss would count the parent's before exec."
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

def directly(w, n):
    values = np.empty(n)
    for start in range(0, n, 1000):
        values[start:start + 1000] = np.cos(np.arange(start, min(n, start + 1000))[:, None] * w).mean(axis=1)
    return values

n, w = {n}, default_inv_freq({width})
before = peak()
start = time.perf_counter()
found = {call}
seconds = time.perf_counter() - start
after = peak()
error = None
if {check}:
    some = np.unique(np.linspace(0, n - 1, 10_007).astype(np.int64))
    error = float(np.abs(found[some] - kernel(w, some).values).max())
print(json.dumps([seconds, before, after, error]))
"""

CURVE, DIRECT = "kernel_range(w, n).values", "directly(w, n)"
MAP = "kernel_map(w, (0, n), (0, n), (1024, 1024)).values"
CALLS = {
    "`kernel_range(inv_freq, 10**6)`": CURVE,
    "`np.cos(k * inv_freq).mean()`, 1,000 distances at a time": DIRECT,
    "`kernel_map` of the whole 10^6 x 10^6 matrix, 1024 x 1024 cells": MAP,
}


class Run(NamedTuple):
    """Seconds of one call, memory before and after in bytes, and how far it is from exact distances."""

    seconds: float
    before: int
    after: int
    error: float | None


def run(call: str, n: int = DISTANCES, check: bool = False) -> Run:
    """``call`` for ``n`` distances in a process of its own."""
    program = _PROGRAM.format(n=n, width=WIDTH, call=call, check=check)
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    return Run(*json.loads(output))


def measure() -> Report:
    ours, directly, _ = CALLS
    turns: dict[str, list[Run]] = {name: [] for name in CALLS}
    for turn in range(TURNS):
        for name in list(CALLS) if turn % 2 == 0 else list(reversed(CALLS)):
            turns[name].append(run(CALLS[name]))
    exact, plain = run(CURVE, check=True).error, run(DIRECT, check=True).error
    seconds = {name: [one.seconds for one in taken] for name, taken in turns.items()}
    lines = [
        (
            name,
            spread(seconds[name], "s"),
            f"{statistics.median(one.after for one in taken) / 1e6:.0f} MB",
            f"{statistics.median(one.after - one.before for one in taken) / 1e6:.0f} MB",
        )
        for name, taken in turns.items()
    ]
    return Report(
        "The kernel of 1,000,000 distances at d = 512",
        (
            f"Each run is a new process, and its first call is timed. {TURNS} turns in alternation; median "
            "and range. Peak memory is that of the whole process, Python and numpy included; growth is what "
            "the call added.",
            table(("", "time", "peak memory", "growth"), lines),
            f"`kernel_range` is {ratios(seconds[directly], seconds[ours])} times faster than direct "
            "evaluation. From values whose angles have 106 bits, at every 100th distance, it differs by "
            f"{exact:.1e} at most and direct evaluation in float64 by {plain:.1e}.",
        ),
    )
