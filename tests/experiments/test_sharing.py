"""Several processes share a training: what each computes, how they stay alike, and when they stop."""

import dataclasses
import json
import subprocess
import sys

import pytest
import torch
from torch import distributed

from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.experiments import run, together
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.pieces import Paused
from clockhands.experiments.sharing import PeerLost, Share
from clockhands.experiments.trial import Trial, perform
from clockhands.models import stream

SMALL = Design(
    schemes=("nope", "t5"), tasks=("addition",), seeds=1, steps=12, batch=7, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=2),
)  # fmt: skip


def summed(values):
    """In place of a process group: what this process has is what all have together."""


def gradients(scheme, share=None, task="addition"):
    trial = Trial(SMALL, scheme, SMALL.task(task), 3, 10, 1e-3, share=share)
    with stream(3, "step", 0):
        loss, _ = trial.loss(0)
    loss.backward()
    return loss.item(), {name: weight.grad for name, weight in trial.model.named_parameters()}


@pytest.mark.parametrize(
    ("scheme", "task"),
    [
        (Contender("t5"), "addition"), (Contender("fox"), "addition"), (Contender("abacus"), "addition"),
        (Contender("rope", randomised_to=64), "addition"), (Contender("randomised"), "addition"),
        (Contender("learned"), "reverse-at-once"), (Contender("rope"), "reverse-at-once"),
    ],
    ids=lambda one: getattr(one, "label", one),
)  # fmt: skip
def test_the_parts_of_a_batch_add_up_to_it(scheme, task, monkeypatch):
    """Whatever a scheme draws or reads: each process draws for the whole batch, and computes its rows."""
    monkeypatch.setattr(Share, "_add_up", staticmethod(summed))
    whole, wanted = gradients(scheme, task=task)
    parts = [gradients(scheme, Share(rank, 3, 99.0), task) for rank in range(3)]
    assert sum(loss for loss, _ in parts) == pytest.approx(whole, abs=1e-6)
    for name, gradient in wanted.items():
        together_ = sum(found[name] for _, found in parts)
        torch.testing.assert_close(together_, gradient, rtol=1e-4, atol=1e-6)


def test_the_loss_that_is_told_is_that_of_the_whole_batch(monkeypatch):
    monkeypatch.setattr(Share, "_add_up", staticmethod(lambda values: values.mul_(3)))
    part, _ = gradients(Contender("nope"), Share(0, 3, 99.0))
    monkeypatch.setattr(Share, "_add_up", staticmethod(summed))
    assert part == pytest.approx(3 * gradients(Contender("nope"), Share(0, 3, 99.0))[0])


def test_the_first_process_ends_a_piece_for_all(monkeypatch, tmp_path):
    """At the same step, with a state that a single process goes on from."""
    monkeypatch.setattr(Share, "_add_up", staticmethod(summed))
    cell = cells(SMALL)[1]

    def ended(share, folder):
        kept = together._Kept(tmp_path / folder, share)
        (tmp_path / folder).mkdir()
        with pytest.raises(Paused):
            perform(SMALL, cell, cell.rate, kept.after_step, checkpoints=kept, share=share)
        return kept

    first = ended(Share(0, 1, 0.0), "first")
    assert first.step == 1
    on = together._Kept(tmp_path / "on", Share(0, 1, 99.0))
    (tmp_path / "on").mkdir()
    on.put(first.packed())
    row = perform(SMALL, cell, cell.rate, on.after_step, checkpoints=on, share=Share(0, 1, 99.0))
    alone = perform(SMALL, cell, cell.rate, lambda _: None)
    assert row.validation == pytest.approx(alone.validation, rel=1e-5)
    assert row.losses == pytest.approx(alone.losses, rel=1e-5)
    other = ended(Share(1, 2, 0.0), "other")  # only the first looks at the clock; it trains to the end
    assert other.packed() is None


def test_a_lost_process_is_no_fault_of_the_scheme(monkeypatch):
    def gone(values):
        raise RuntimeError("Connection closed by peer")

    monkeypatch.setattr(distributed, "all_reduce", gone)
    with pytest.raises(PeerLost):
        perform(SMALL, cells(SMALL)[0], 1e-3, lambda _: None, share=Share(0, 2, 99.0))


def test_what_failed_is_told_apart():
    cell, cpu = cells(SMALL)[0], torch.device("cpu")
    row = dataclasses.replace(perform(SMALL, cell, 1e-3, lambda _: None), seconds=2.0)

    class Error(Exception):
        def __init__(self, *failures):
            self.worker_failures = dict(enumerate(failures))

    assert together._after(Error(PeerLost(), together._Failed(row)), cell, 2, cpu).row == row
    assert together._after(Error(PeerLost(), OSError()), cell, 2, cpu) is None
    with pytest.raises(ImportError):
        together._after(Error(PeerLost(), ImportError("no such scheme")), cell, 2, cpu)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"data_parallel": 2}, "give --ray, too"),
        ({"data_parallel": 8, "ray": "local"}, "a batch has 7 rows"),
        ({"data_parallel": 2, "ray": "local", "gpus_per_cell": 0.5}, "need whole GPUs"),
        ({"data_parallel": 0}, "data_parallel is 0"),
    ],
)
def test_what_cannot_be_shared_is_refused_before_anything_is_written(tmp_path, how, says):
    with pytest.raises(ClockhandsError, match=says):
        run.run(SMALL, tmp_path / "run", **how)
    assert not (tmp_path / "run").exists()


def test_without_ray_train_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(together, "find_spec", lambda name: None if name == "pandas" else name)
    with pytest.raises(MissingExtra, match=r"clockhands\[ray\]"):
        together.require_shareable(2, 7, 0.0)


_PROCESS = """
import json, os, sys
from pathlib import Path
import torch
from torch import distributed
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design, ModelSize
from clockhands.experiments.pieces import Paused
from clockhands.experiments.sharing import PeerLost, Share
from clockhands.experiments.together import _Kept
from clockhands.experiments.trial import perform

rank, folder, gone_at = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(1)
distributed.init_process_group("gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=2)
design = Design(schemes=("nope", "t5"), tasks=("addition",), seeds=1, steps=12, batch=7, items=6, length=3,
                model=ModelSize(dim=16, heads=2, layers=2))
share = Share(rank, 2, 99.0)
kept = _Kept(folder / str(rank), share)
(folder / str(rank)).mkdir()

def after_step(done):
    if rank == 1 and done == gone_at:
        os._exit(0)
    kept.after_step(done)

try:
    row = perform(design, cells(design)[1], 3e-3, after_step, checkpoints=kept, share=share)
    print(json.dumps([row.validation, row.losses, str(row.failed)]))
except Paused:
    print("trained")
except PeerLost:
    print("lost", flush=True)  # gloo, whose other end is gone, may abort the process at its end
"""


def two_processes(folder, gone_at):
    """What each of two processes says, which meet in ``folder``."""
    made = [
        subprocess.Popen([sys.executable, "-c", _PROCESS, str(rank), str(folder), str(gone_at)], stdout=-1)
        for rank in range(2)
    ]
    return [process.communicate(timeout=300)[0].decode().splitlines()[-1:] for process in made]


def test_two_processes_find_what_one_finds_and_notice_each_others_end(tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "torn").mkdir()
    (said,), other = two_processes(tmp_path / "whole", -1)
    validation, losses, failed = json.loads(said)
    alone = perform(SMALL, cells(SMALL)[1], 3e-3, lambda _: None)
    assert failed == "None"
    assert validation == pytest.approx(alone.validation, abs=1e-5)
    assert losses == pytest.approx(alone.losses, abs=1e-5)
    assert other == ["trained"]
    assert two_processes(tmp_path / "torn", 5) == [["lost"], []]
