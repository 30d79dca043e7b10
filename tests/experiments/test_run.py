"""Whole comparisons in small: fair, the same however they are interrupted, and honest about failures."""

import dataclasses
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import torch

from clockhands.errors import ClockhandsError
from clockhands.experiments import trial
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.run import chosen_rate, resume, run
from clockhands.experiments.store import Store
from clockhands.experiments.trial import Trial, built
from clockhands.training.loop import Stopped

SMALL = Design(
    schemes=("nope", "rope", "t5"), tasks=("copy",), seeds=2, steps=4, batch=4, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=2),
)  # fmt: skip


@pytest.fixture(autouse=True)
def heeds_ctrl_c():
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)
    else:
        yield


def numbers(store):
    """All that was measured, but how long it took."""
    return [dataclasses.replace(row, seconds=0.0) for row in store.rows(store.design())]


def outside(model):
    """Weights that belong to no encoding, by name."""
    inside = {id(weight) for encoding in model.encodings for weight in encoding.parameters()}
    return {name: weight for name, weight in model.named_parameters() if id(weight) not in inside}


@pytest.mark.parametrize("scheme", ["rope", "alibi", "sinusoidal", "kerple-log", "randomised"])
def test_models_differ_in_the_encoding_alone(scheme):
    task = SMALL.task("copy")
    plain = outside(built(SMALL, Contender("nope"), task, 5).model)
    made = built(SMALL, Contender(scheme), task, 5)
    assert made.hidden == 64
    other = outside(made.model)
    assert plain.keys() == other.keys()
    assert all(torch.equal(plain[name], other[name]) for name in plain)
    again = outside(built(SMALL, Contender(scheme), task, 6).model)
    assert not torch.equal(again["embedding.weight"], other["embedding.weight"])


def test_what_an_encoding_has_the_mlp_has_less():
    task = SMALL.task("copy")
    plain, learned = (built(SMALL, Contender(id), task, 0) for id in ("nope", "learned"))
    assert plain.position_parameters == 0
    assert learned.position_parameters == task.longest() * 16 == 27 * 16
    unit = 2 * (2 * 16 + 1)
    assert abs(learned.parameters - plain.parameters) <= unit / 2
    assert learned.hidden == 64 - round(27 * 16 / unit)
    shared = {name: weight for name, weight in outside(learned.model).items() if ".mlp." not in name}
    assert all(torch.equal(weight, outside(plain.model)[name]) for name, weight in shared.items())
    large = Contender("learned", {"max_positions": 100_000})
    with pytest.raises(ClockhandsError, match="no MLP can be narrowed"):
        built(SMALL, large, task, 0)


def test_all_schemes_see_the_same_batches_in_the_same_order(monkeypatch):
    seen = {}
    for cell in cells(SMALL)[:3]:
        made = Trial(SMALL, cell, SMALL.task("copy"), 1e-3)
        seen[cell.scheme.id] = [made.task.batch(made.seed, step, made.batch).tokens for step in range(3)]
    first, *others = seen.values()
    assert all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))


def test_scores_are_what_a_model_that_writes_on_gets_right(monkeypatch):
    """Right answers for the first three of six items, and one wrong token in each of the others."""
    task = SMALL.task("copy")
    made = Trial(SMALL, cells(SMALL)[0], task, 1e-3)
    items = task.test(0, 6, 6)
    asked = torch.from_numpy(items.asked)[:, 1:]
    said = torch.from_numpy(items.tokens)[:, 1:][asked]
    guessed = said.clone().reshape(6, -1)
    guessed[3:, 2] = 0
    logits = torch.nn.functional.one_hot(guessed.reshape(-1), len(task.vocabulary)).float()
    monkeypatch.setattr(made, "guesses", lambda given: (logits, said, asked.nonzero()[:, 0]))
    measured, _ = made.measured(items)
    assert measured.scores == (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    assert measured.tokens == pytest.approx(1 - 3 / (6 * 7))


def test_a_text_is_scored_by_loss_and_by_place(tmp_path):
    text = "史进看见鲁达，鲁达看见史进。" * 80
    design = SMALL.with_(schemes=("nope", "learned"), tasks=("characters",), context=8, text=text, seeds=1)
    for row in run(design, tmp_path / "run").rows(design):
        assert sorted(row.measured) == [8, 12, 16, 32]
        measured = row.measured[16]
        assert len(measured.by_place) == 16
        assert np.mean(measured.by_place) == pytest.approx(measured.mean, abs=1e-5)
        assert 0 < measured.mean < 2 * np.log(len(design.task("characters").vocabulary))


def test_learning_happens(tmp_path):
    design = SMALL.with_(
        schemes=("nope", "rope"), seeds=1, steps=40, batch=16, tasks=("parity", "even-pairs")
    )
    for row in run(design, tmp_path / "run").rows(design):
        assert row.losses[-1] < 0.8 * row.losses[0]
        assert row.parameters > 0
        assert row.versions["torch"] == torch.__version__


def test_a_comparison_in_pieces_gives_the_same_numbers(tmp_path, monkeypatch):
    whole = run(SMALL, tmp_path / "whole")
    assert [row.failed for row in numbers(whole)] == [None] * 6
    steps = []

    def pressed(done):
        steps.append(done)
        if len(steps) == 10:  # in the third cell
            raise KeyboardInterrupt

    plain = trial.train
    monkeypatch.setattr(
        trial,
        "train",
        lambda job, quiet, after_step: plain(
            job, quiet=quiet, after_step=lambda done: (after_step(done), pressed(done))[0]
        ),
    )
    with pytest.raises(Stopped, match="2 of 6 cells finished"):
        run(SMALL, tmp_path / "pieces")
    monkeypatch.setattr(trial, "train", plain)
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "pieces" / "cells").iterdir()}
    assert len(kept) == 2
    assert numbers(resume(tmp_path / "pieces")) == numbers(whole)
    assert kept.items() <= {file: file.stat().st_mtime_ns for file in kept}.items()


def test_processes_give_the_same_numbers_and_survive_being_killed(tmp_path):
    """SIGKILL of the one that started them: the finished cells are whole, the workers end, resume goes on."""
    design = SMALL.with_(steps=20)
    script = (
        "import sys\n"
        "from clockhands.experiments.design import Design, ModelSize\n"
        "from clockhands.experiments.run import run\n"
        "if __name__ == '__main__':\n"
        "    size = ModelSize(dim=16, heads=2, layers=2)\n"
        "    design = Design(schemes=('nope', 'rope', 't5'), tasks=('copy',), seeds=2, steps=20, batch=4,\n"
        "                    items=6, length=3, model=size)\n"
        "    run(design, sys.argv[1], workers=2)\n"
    )
    file = tmp_path / "one.py"
    file.write_text(script, encoding="utf-8")
    folder = tmp_path / "run"
    started = subprocess.Popen([sys.executable, str(file), str(folder)])
    deadline = time.monotonic() + 120
    while not [*folder.glob("cells/*.json")] and started.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    started.kill()
    started.wait()
    assert [*folder.glob("cells/*.json")]
    resume(folder)
    assert numbers(Store(folder)) == numbers(run(design, tmp_path / "whole"))


def test_rates_are_chosen_within_the_training_length(tmp_path):
    design = SMALL.with_(
        schemes=("nope", "rope"), seeds=1, rates=(1e-4, 3e-2), tuning_steps=40, tuning_seeds=1
    )
    store = run(design, tmp_path / "run")
    tuning = [row for row in store.rows(design) if row.stage == "tuning"]
    assert [row.measured for row in tuning] == [{}] * 4
    for row in store.rows(design)[4:]:
        mine = {one.rate: one.validation for one in tuning if one.scheme == row.scheme}
        assert row.rate == min(mine, key=mine.get) == 3e-2
    worse = next(cell for cell in cells(design) if (cell.scheme.id, cell.rate) == ("rope", 3e-2))
    kept = store.row(worse)
    store.save(worse, dataclasses.replace(kept, validation=99.0))
    final = [cell for cell in cells(design) if cell.stage == "final"]
    assert [chosen_rate(store, design, cell) for cell in final] == [3e-2, 1e-4]


def test_a_cell_that_fails_says_why_and_the_rest_goes_on(tmp_path, monkeypatch):
    plain = Trial.loss

    def loss(self, step):
        value, beside = plain(self, step)
        if self.built.description.card.id == "rope" and step == 2:
            return value * float("nan"), beside
        if self.built.description.card.id == "t5":
            raise IndexError("row 9 of 8")
        return value, beside

    monkeypatch.setattr(Trial, "loss", loss)
    nope, rope, t5 = run(SMALL.with_(seeds=1), tmp_path / "run").rows(SMALL.with_(seeds=1))
    assert nope.failed is None
    assert rope.failed.en.startswith("the loss is nan at step 3")
    assert t5.failed == ("the scheme raised IndexError: row 9 of 8", "方案出错（IndexError）：row 9 of 8")


def test_what_cannot_run_is_said_before_anything_is_written(tmp_path):
    with pytest.raises(ClockhandsError, match=r"learned\(max_positions=4\): position"):
        run(SMALL.with_(schemes=("nope", Contender("learned", {"max_positions": 4}))), tmp_path / "run")
    with pytest.raises(ClockhandsError, match=r"tagged: .*parts of speech"):
        run(SMALL.with_(schemes=("nope", "tagged")), tmp_path / "run")
    with pytest.raises(ClockhandsError, match="workers is 0"):
        run(SMALL, tmp_path / "run", workers=0)
    assert not (tmp_path / "run").exists()
