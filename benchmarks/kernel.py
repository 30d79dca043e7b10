"""The similarity curve of 1,000,000 distances at d = 512 in new processes: time, memory, exactness."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from benchmarks.harness import Report, ratios, spread, table

TURNS = 5
DISTANCES, WIDTH = 10**6, 512

_PROGRAM = """
import json, sys, time
from pathlib import Path
import numpy as np
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.kernel_map import kernel_map
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
    some = np.arange(0, n, 101)
    error = float(np.abs(found[some] - np.cos(some[:, None] * w).mean(axis=1)).max())
print(json.dumps([seconds, before, after, error]))
"""

CALLS = {
    "`kernel_range(inv_freq, 10**6)`": "kernel_range(w, n).values",
    "`np.cos(k * inv_freq).mean()`, 1,000 distances at a time": "directly(w, n)",
    "`kernel_map` of the whole 10^6 x 10^6 matrix, 1024 x 1024 cells": (
        "kernel_map(w, (0, n), (0, n), (1024, 1024)).values"
    ),
}


def run(call: str, check: bool = False) -> tuple[float, float, float, float | None]:
    """Seconds, memory before and after in bytes, and the largest difference from direct evaluation."""
    program = _PROGRAM.format(n=DISTANCES, width=WIDTH, call=call, check=check)
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    seconds, before, after, error = json.loads(output)
    return seconds, before, after, error


def measure() -> Report:
    ours, directly, _ = CALLS
    turns: dict[str, list[tuple[float, float, float, float | None]]] = {name: [] for name in CALLS}
    for turn in range(TURNS):
        for name in list(CALLS) if turn % 2 == 0 else list(reversed(CALLS)):
            turns[name].append(run(CALLS[name]))
    error = run(CALLS[ours], check=True)[3]
    seconds = {name: [one[0] for one in taken] for name, taken in turns.items()}
    lines = [
        (
            name,
            spread(seconds[name], "s"),
            f"{statistics.median(one[2] for one in taken) / 1e6:.0f} MB",
            f"{statistics.median(one[2] - one[1] for one in taken) / 1e6:.0f} MB",
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
            f"evaluation and differs from it by {error:.1e} at most, at every 101st distance.",
        ),
    )
