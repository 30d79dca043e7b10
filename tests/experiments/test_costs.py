"""What a training costs: work counted by hand, and time that a stop in its middle does not lose."""

import errno
import time

import pytest
import torch
from torch import distributed
from torch.utils.flop_counter import FlopCounterMode

from clockhands.errors import ClockhandsError
from clockhands.experiments import trial
from clockhands.experiments.building import SOLVED
from clockhands.experiments.cells import cells
from clockhands.experiments.costing import costed
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.pieces import Paused, piece
from clockhands.experiments.run import resume, run
from clockhands.experiments.sharing import Share
from clockhands.experiments.store import Store
from clockhands.experiments.together import _Kept, one_of_them
from clockhands.experiments.trial import Trial, perform
from clockhands.training.checkpoint import Checkpoints
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


def test_what_an_encoder_multiplies_for_each_row_counts_for_each():
    """Padding is known, so biases are made row by row, however many rows there are."""

    def work(batch):
        design = SMALL.with_(schemes=("nope", "fire"), tasks=("reverse-at-once",), batch=batch)
        task = design.with_(matching="flops").task("reverse-at-once")
        one, other = (
            Trial(design.with_(matching="flops"), each, task, 0, 1, 1e-3) for each in design.schemes
        )
        return other.costs()[0] - one.costs()[0]

    assert work(2) == work(16) > 0


def test_solutions_of_linear_systems_count():
    """PaTH solves one for each head and row, which PyTorch's counter takes for nothing."""
    a, b = torch.eye(6).expand(3, 6, 6), torch.ones(3, 6, 2)
    with FlopCounterMode(display=False, custom_mapping=SOLVED) as counter:
        torch.linalg.solve(a, b)
    assert counter.get_total_flops() == 3 * (2 * 6**3 // 3 + 2 * 6 * 6 * 2)
    with FlopCounterMode(display=False, custom_mapping=SOLVED) as counter:
        torch.linalg.solve_triangular(a, b, upper=False)
    assert counter.get_total_flops() == 3 * 6 * 6 * 2
    design = SMALL.with_(schemes=("nope", "path"), matching="flops")
    nope, path = (Trial(design, each, design.task("copy"), 0, 1, 1e-3) for each in design.schemes)
    with_it = path.costs()[0]
    kept = dict(SOLVED)
    SOLVED.clear()
    try:
        without = path.costs()[0]
    finally:
        SOLVED.update(kept)
    assert with_it > without > nope.costs()[0]


def test_counting_takes_no_more_memory_than_two_rows(monkeypatch):
    design, seen = SMALL.with_(batch=512), []
    plain = trial.flops_of

    def counted(model, tokens, *more):
        seen.append(len(tokens))
        return plain(model, tokens, *more)

    monkeypatch.setattr(trial, "flops_of", counted)
    Trial(design, Contender("rope"), design.task("copy"), 0, 1, 1e-3).costs()
    assert seen == [1, 2]


def test_matching_by_work_counts_the_batches_that_are_trained_on():
    design = costed(SMALL.with_(schemes=("nope", "fire"), batch=16, matching="flops"))
    of = {one.id: Trial(design, one, design.task("copy"), 0, 1, 1e-3).costs()[0] for one in design.schemes}
    assert design.costs["fire"]["copy"] == round(of["fire"] / of["nope"], 3)
    assert design.costs["nope"]["copy"] == 1.0


def test_time_before_a_stop_counts(tmp_path, monkeypatch):
    """Steps of 0.3 s, far more than building and tests take: three before Ctrl-C and three after."""
    plain = Trial.loss

    def slow(self, step):
        time.sleep(0.3)
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
    assert row.seconds >= 0.05 * 6  # building and tests take a few hundredths: three steps would be missed
    assert row.speed <= 6 / (0.05 * 6)


def test_time_of_earlier_pieces_goes_with_the_state(monkeypatch):
    plain = Trial.loss

    def slow(self, step):
        time.sleep(0.3)
        return plain(self, step)

    monkeypatch.setattr(Trial, "loss", slow)
    cell, task, state, pieces = cells(SMALL)[1], SMALL.task("copy"), None, 0
    row = None
    while row is None:
        done = piece(SMALL, task, cell, 1e-3, state, 0.0, False)
        state, row, pieces = done.state, done.row, pieces + 1
    assert pieces > 3
    assert row.seconds >= 0.3 * 6
    assert row.speed <= 1 / 0.3


def test_the_last_step_before_a_pause_counts(tmp_path, monkeypatch):
    """Of processes that share a training the first keeps its state within the call after a step."""
    monkeypatch.setattr(Share, "_add_up", staticmethod(lambda values: None))
    plain = Trial.loss
    monkeypatch.setattr(Trial, "loss", lambda self, step: (time.sleep(0.2), plain(self, step))[1])
    cell, state = cells(SMALL)[0], None
    for at in range(3):
        kept = _Kept(tmp_path / str(at), share := Share(0, 1, 0.0))
        (tmp_path / str(at)).mkdir()
        if state is not None:
            kept.put(state)
        with pytest.raises(Paused):
            perform(SMALL, cell, 1e-3, kept.after_step, checkpoints=kept, share=share)
        state = kept.packed()
    one = Trial(SMALL, cell.scheme, SMALL.task("copy"), 0, SMALL.steps, 1e-3)
    kept = Checkpoints(tmp_path / "last")
    (tmp_path / "last").mkdir()
    kept.put(state)
    assert kept.load(one)[0] == 3
    assert one.seconds >= 3 * 0.2


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 TB"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 TB"),
        torch.OutOfMemoryError("CUDA out of memory."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
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
    with pytest.raises(ClockhandsError, match="memory ran out in rope, copy: use fewer processes"):
        run(SMALL, tmp_path / "run")
    store = Store(tmp_path / "run")
    assert [row.scheme for row in store.rows(SMALL)] == ["nope"]
    monkeypatch.setattr(Trial, where, plain)
    assert [row.failed for row in resume(store.path).rows(SMALL)] == [None, None]


@pytest.mark.parametrize("matching", ["parameters", "flops"])
def test_memory_that_runs_out_beforehand_is_no_fault_of_the_scheme(tmp_path, monkeypatch, matching):
    def raises(self, *given):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 TB")

    monkeypatch.setattr(Trial, "tested" if matching == "parameters" else "costs", raises)
    with pytest.raises(ClockhandsError, match="memory ran out in nope, copy: use fewer processes"):
        run(SMALL.with_(matching=matching), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("matching", ["flops", "wall-clock"])
def test_a_scheme_that_cannot_be_costed_is_named(tmp_path, monkeypatch, matching):
    def raises(self, *given):
        raise KeyError("no step")

    monkeypatch.setattr(Trial, "loss" if matching == "wall-clock" else "costs", raises)
    with pytest.raises(ClockhandsError, match="nope: the scheme raised KeyError: 'no step'"):
        run(SMALL.with_(matching=matching), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_memory_of_a_process_that_shares_is_no_lost_peer(monkeypatch):
    def full(values):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(distributed, "all_reduce", full)
    with pytest.raises(ClockhandsError, match="memory ran out"):
        perform(SMALL, cells(SMALL)[0], 1e-3, lambda _: None, share=Share(0, 2, 99.0))


def test_a_node_without_the_scheme_gives_no_row():
    cell = cells(SMALL)[1]
    there = Contender("not_on_this_node:Scheme")
    object.__setattr__(cell, "scheme", there)
    with pytest.raises(
        ClockhandsError, match=r"a node of the cluster can't run not_on_this_node:Scheme \('not"
    ):
        piece(SMALL, SMALL.task("copy"), cell, 1e-3, None, 1.0, False)
    given = {"cell": cell, "gpu": False}
    with pytest.raises(ClockhandsError, match="a node of the cluster can't run not_on_this_node:Scheme"):
        one_of_them(given)
    row = perform(SMALL, cell, 1e-3, lambda _: None)  # while this machine says so, which was asked beforehand
    assert "can't be imported" in row.failed.en
