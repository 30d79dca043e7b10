"""The sweep of the benchmark is that of ``clockhands compare``, and goes through a store as it does."""

from __future__ import annotations

from pathlib import Path

from benchmarks.throughput import SCHEMES, Sweep, alone, design
from clockhands.experiments.store import Store
from clockhands.experiments.workers import Workers


def test_cells_are_trained_by_workers_and_alone(tmp_path: Path) -> None:
    asked = design().with_(steps=2, seeds=2, batch=2, items=2)
    with Workers(tmp_path, asked, 1) as pool:
        sweep = Sweep(tmp_path, pool, asked, 1)
        for scheme in SCHEMES[:2]:
            sweep.turn(scheme)
    assert sorted(row.scheme for row in Store(tmp_path).rows(asked)) == sorted(SCHEMES[:2])
    (one,) = alone(asked, 1)
    assert one.whole > one.busy > 0
    assert one.whole > one.start > 0
