"""What goes wrong on real machines: nothing is lost, no row is wrong, the table is that of a quiet run."""

import multiprocessing
import os
import signal
import threading
import time

import pytest
from test_ray import numbers

from clockhands.errors import ClockhandsError
from clockhands.experiments import run, workers
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design, ModelSize
from clockhands.experiments.store import Store
from clockhands.experiments.trial import Trial

DESIGN = Design(
    schemes=("nope", "t5"), tasks=("copy",), seeds=2, steps=60, batch=4, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=1),
)  # fmt: skip
TINY = DESIGN.with_(steps=3, seeds=9, model=ModelSize(dim=2, heads=1, layers=1))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return numbers(run.run(DESIGN, tmp_path_factory.mktemp("whole") / "run"))


def test_a_killed_worker_is_replaced_and_its_cell_gone_on_with(tmp_path, whole):
    store, killed = Store(tmp_path / "run"), []
    store.begin(DESIGN)

    def heed():
        if not killed and [*store.path.glob("running/*/state-*")]:
            one = multiprocessing.active_children()[0]
            os.kill(one.pid, signal.SIGKILL)
            killed.append(one.pid)

    run.finish(store, DESIGN, workers=2, heed=heed)
    assert killed
    assert numbers(store) == whole
    assert multiprocessing.active_children() == []


def test_a_cell_that_kills_every_worker_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "_serve", os.abort)  # which takes no arguments: the process ends at once
    store = Store(tmp_path / "run")
    store.begin(DESIGN)
    with pytest.raises(ClockhandsError, match="3 workers ended at the same cell, the last with exit code 1"):
        run.finish(store, DESIGN, workers=2)
    assert multiprocessing.active_children() == []
    assert not store.finished()


@pytest.mark.parametrize(("room", "file"), [(1_000, "state-"), (14_000, "cells.sqlite")])
def test_a_full_disk_costs_the_running_cell_alone(tmp_path, room, file):
    """No file may be larger than ``room`` bytes, which a full disk is to whoever writes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    store = Store(tmp_path / "run")
    store.begin(TINY)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(ClockhandsError, match=rf"{file}.* can't be written"):
            run.finish(store, TINY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    kept = store.rows(TINY)
    assert len(kept) < len(cells(TINY))
    assert bool(kept) == (file == "cells.sqlite")
    assert [*tmp_path.glob("run/**/.*-*")] == []  # nothing half-written is left
    run.resume(store.path)
    assert store.rows(TINY)[: len(kept)] == kept
    assert numbers(store) == numbers(run.run(TINY, tmp_path / "whole"))


def test_a_clock_that_goes_backwards_changes_no_number(tmp_path, whole, monkeypatch):
    """Both clocks lose a minute each time that they are read."""
    for clock in ("time", "monotonic"):
        read = iter(range(10**6, 0, -60))
        monkeypatch.setattr(time, clock, lambda read=read: float(next(read)))
    store = run.run(DESIGN, tmp_path / "run")
    assert all(row.seconds < 0 for row in store.rows(DESIGN))  # so they were read
    assert numbers(store) == whole


def test_of_two_runs_started_at_once_one_goes_on(tmp_path, whole, monkeypatch):
    """The other is refused, and its design does not take the place of the one that is carried out."""
    together, plain = threading.Barrier(2), run.require_runnable
    monkeypatch.setattr(run, "require_runnable", lambda design: (plain(design), together.wait(60))[0])
    outcomes = {}

    def started(design):
        try:
            outcomes[design.seeds] = run.run(design, tmp_path / "run")
        except ClockhandsError as error:
            outcomes[design.seeds] = str(error)

    both = [threading.Thread(target=started, args=(one,)) for one in (DESIGN, DESIGN.with_(seeds=1))]
    for one in both:
        one.start()
    for one in both:
        one.join()
    (seeds,) = (seeds for seeds, outcome in outcomes.items() if isinstance(outcome, Store))
    (refused,) = (outcome for outcome in outcomes.values() if isinstance(outcome, str))
    assert "is there already" in refused or "another training is at work" in refused
    store = Store(tmp_path / "run")
    assert store.design().seeds == seeds
    assert numbers(store) == whole[: len(cells(store.design()))]


def test_a_scheme_that_raises_and_one_that_diverges_leave_the_others_alone(tmp_path, whole, monkeypatch):
    plain = Trial.loss

    def loss(self, step):
        value, beside = plain(self, step)
        if self.built.description.card.id == "t5" and step == 9:
            if self.seed:
                raise KeyError("row 9")
            return value * float("inf"), beside
        return value, beside

    monkeypatch.setattr(Trial, "loss", loss)
    rows = numbers(run.run(DESIGN, tmp_path / "run"))
    assert [row for row in rows if row.failed is None] == [row for row in whole if row.scheme == "nope"]
    first, second = (row.failed.en for row in rows if row.failed is not None)
    assert first.startswith("the loss is inf at step 10")
    assert second == "the scheme raised KeyError: 'row 9'"
