"""What a training costs: work counted by hand, and time that a stop in its middle does not lose."""

import time

import pytest
import torch

from clockhands.errors import ClockhandsError
from clockhands.experiments import trial
from clockhands.experiments.cells import cells
from clockhands.experiments.costing import costed
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.pieces import piece
from clockhands.experiments.run import resume, run
from clockhands.experiments.store import Store
from clockhands.experiments.trial import Trial, perform
from clockhands.training.loop import Stopped

SMALL = Design(
    schemes=("nope", "rope"), tasks=("copy",), seeds=1, steps=6, batch=4, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=2),
)  # fmt: skip


def of_hand(design, task):
    """FLOPs of a token: 2 for each weight of a matrix, and scores and sums over all tokens of its row."""
    made, dim = design.task(task), design.model.dim
    tokens = made.test(0, made.length, design.batch).tokens.shape[1] - made.causal
    weights = design.model.layers * (4 * dim * dim + 2 * dim * 4 * dim) + len(made.vocabulary) * dim
    return 2 * weights + design.model.layers * 2 * 2 * tokens * dim


@pytest.mark.parametrize("scheme", ["nope", "rope", "alibi", "t5", "sinusoidal"])
@pytest.mark.parametrize("task", ["copy", "reverse-at-once"])
def test_work_is_counted_with_attention(scheme, task):
    design = SMALL.with_(schemes=("nope", "rope") if scheme == "nope" else ("nope", scheme), matching="flops")
    trial = Trial(design, Contender(scheme), design.task(task), 0, 1, 1e-3)
    assert trial.costs()[0] == of_hand(design, task)


def test_what_an_encoding_multiplies_once_a_batch_is_shared_by_its_rows():
    """FIRE's small network reads distances, which are the same for all rows."""

    def work(batch):
        design = SMALL.with_(schemes=("nope", "fire"), batch=batch, matching="wall-clock")
        one, other = (Trial(design, each, design.task("copy"), 0, 1, 1e-3) for each in design.schemes)
        return other.costs()[0] - one.costs()[0]

    assert work(2) == pytest.approx(8 * work(16), abs=8)  # each is rounded to whole FLOPs
    assert work(16) > 0


def test_matching_by_work_counts_the_batches_that_are_trained_on():
    design = costed(SMALL.with_(schemes=("nope", "fire"), batch=16, matching="flops"))
    of = {one.id: Trial(design, one, design.task("copy"), 0, 1, 1e-3).costs()[0] for one in design.schemes}
    assert design.costs["fire"]["copy"] == round(of["fire"] / of["nope"], 3)
    assert design.costs["nope"]["copy"] == 1.0


def test_time_before_a_stop_counts(tmp_path, monkeypatch):
    """A step of at least 50 ms, three of them before Ctrl-C and three after."""
    plain = Trial.loss

    def slow(self, step):
        time.sleep(0.05)
        return plain(self, step)

    def pressed(job, kept, quiet, after_step):
        def after(done):
            after_step(done)
            if done == 3:
                raise KeyboardInterrupt

        return train(job, kept, quiet=quiet, after_step=after)

    train = trial.train
    monkeypatch.setattr(Trial, "loss", slow)
    monkeypatch.setattr(trial, "train", pressed)
    with pytest.raises(Stopped):
        run(SMALL, tmp_path / "run")
    monkeypatch.setattr(trial, "train", train)
    row = resume(tmp_path / "run").row(cells(SMALL)[0])
    assert row.seconds >= 0.05 * 5  # what a state is saved after is never more than a step ago
    assert row.speed <= 6 / (0.05 * 5)


def test_time_of_earlier_pieces_goes_with_the_state(monkeypatch):
    plain = Trial.loss

    def slow(self, step):
        time.sleep(0.03)
        return plain(self, step)

    monkeypatch.setattr(Trial, "loss", slow)
    cell, task, state, pieces = cells(SMALL)[1], SMALL.task("copy"), None, 0
    row = None
    while row is None:
        done = piece(SMALL, task, cell, 1e-3, state, 0.0, False)
        state, row, pieces = done.state, done.row, pieces + 1
    assert pieces > 3
    assert row.seconds >= 0.03 * 6
    assert row.speed <= 1 / 0.03


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 TB"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 TB"),
        torch.OutOfMemoryError("CUDA out of memory."),
    ],
)
@pytest.mark.parametrize("where", ["loss", "tested"])
def test_memory_that_runs_out_is_no_fault_of_the_scheme(tmp_path, monkeypatch, error, where):
    """No row is kept, and it can be gone on with where there is more memory."""
    plain = getattr(Trial, where)

    def raises(self, *given, **named):
        if self.scheme.id == "rope" and self.steps == SMALL.steps:
            raise error
        return plain(self, *given, **named)

    monkeypatch.setattr(Trial, where, raises)
    with pytest.raises(
        ClockhandsError, match="memory ran out in rope, copy, seed 0: what is finished is kept"
    ):
        run(SMALL, tmp_path / "run")
    store = Store(tmp_path / "run")
    assert [row.scheme for row in store.rows(SMALL)] == ["nope"]
    monkeypatch.setattr(Trial, where, plain)
    assert [row.failed for row in resume(store.path).rows(SMALL)] == [None, None]


def test_a_node_without_the_scheme_gives_no_row():
    cell = cells(SMALL)[1]
    there = Contender("not_on_this_node:Scheme")
    object.__setattr__(cell, "scheme", there)
    with pytest.raises(
        ClockhandsError, match=r"a node of the cluster can't run not_on_this_node:Scheme \('not"
    ):
        piece(SMALL, SMALL.task("copy"), cell, 1e-3, None, 1.0, False)
    row = perform(SMALL, cell, 1e-3, lambda _: None)  # while this machine says so, which was asked beforehand
    assert "can't be imported" in row.failed.en
