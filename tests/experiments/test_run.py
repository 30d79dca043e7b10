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
from clockhands.experiments.building import built
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.report import report
from clockhands.experiments.results import sections
from clockhands.experiments.run import chosen_rate, resume, run
from clockhands.experiments.store import Store
from clockhands.experiments.trial import Trial
from clockhands.training.alone import alone_in
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
    return [dataclasses.replace(row, seconds=0.0, speed=0.0) for row in store.rows(store.design())]


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
        made = Trial(SMALL, cell.scheme, SMALL.task("copy"), cell.seed, cell.steps, 1e-3)
        seen[cell.scheme.id] = [made.task.batch(made.seed, step, made.batch).tokens for step in range(3)]
    first, *others = seen.values()
    assert all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))


def test_scores_are_what_a_model_that_writes_on_gets_right(monkeypatch):
    """Right answers for the first three of six items, and one wrong token in each of the others."""
    task = SMALL.task("copy")
    made = Trial(SMALL, Contender("nope"), task, 0, 1, 1e-3)
    items = task.test(0, 6, 6)
    asked = torch.from_numpy(items.asked)[:, 1:]
    said = torch.from_numpy(items.tokens)[:, 1:][asked]
    guessed = said.clone().reshape(6, -1)
    guessed[3:, 2] = 0
    logits = torch.nn.functional.one_hot(guessed.reshape(-1), len(task.vocabulary)).float()
    monkeypatch.setattr(made, "guesses", lambda given: (logits, said, asked.nonzero()[:, 0]))
    measured, _ = made.tested(items)
    assert measured.scores == (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    assert measured.tokens == pytest.approx(1 - 3 / (6 * 7))


def test_a_text_is_scored_by_loss_and_by_place(tmp_path):
    text = "史进看见鲁达，鲁达看见史进。" * 100
    design = SMALL.with_(schemes=("nope", "learned"), tasks=("characters",), context=8, text=text, seeds=1)
    for row in run(design, tmp_path / "run").rows(design):
        assert sorted(row.measured) == [8, 12, 16, 32, 64]
        measured = row.measured[16]
        assert len(measured.by_place) == 16
        assert np.mean(measured.by_place) == pytest.approx(measured.mean, abs=1e-4)  # four digits are kept
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
        lambda job, kept, quiet, after_step: plain(
            job, kept, quiet=quiet, after_step=lambda done: (after_step(done), pressed(done))[0]
        ),
    )
    with pytest.raises(Stopped, match="2 of 6 cells finished"):
        run(SMALL, tmp_path / "pieces")
    monkeypatch.setattr(trial, "train", plain)
    pieces = Store(tmp_path / "pieces")
    kept = pieces.rows(SMALL)
    assert len(kept) == 2
    (half,) = (tmp_path / "pieces" / "running").iterdir()
    assert half.name == cells(SMALL)[2].id
    assert len([*half.glob("state-*.safetensors")]) >= 1  # the cell goes on from its state
    assert numbers(resume(tmp_path / "pieces")) == numbers(whole)
    assert [pieces.row(cell) for cell in cells(SMALL)[:2]] == kept  # with the seconds that they took
    assert not (tmp_path / "pieces" / "running").exists()


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
    while not Store(folder).finished() and started.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    started.kill()
    started.wait()
    assert Store(folder).finished()
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
    other = Store(tmp_path / "other")
    other.begin(design)
    for cell in cells(design)[:4]:
        kept = store.row(cell)
        other.save(cell, dataclasses.replace(kept, validation=99.0) if cell == worse else kept)
    store, final = other, [cell for cell in cells(design) if cell.stage == "final"]
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
    assert t5.failed == ("the scheme raised IndexError: row 9 of 8", "方案出错（IndexError: row 9 of 8）")


def test_a_table_that_ends_is_undefined_past_it_and_no_failure(tmp_path):
    short = Contender("learned", {"max_positions": 8})
    design = SMALL.with_(schemes=("nope", short), seeds=1)
    row = run(design, tmp_path / "run").rows(design)[1]
    assert row.failed is None
    assert sorted(row.measured) == [3]
    assert sorted(row.undefined) == [4, 6, 12]
    assert "outside the table of rows 0 to 7" in row.undefined[4].en


def test_probes_see_what_they_are_for(tmp_path):
    """Added sinusoids can be read off the input of the first layer; without them they can't."""
    text = "史进看见鲁达，鲁达看见史进。" * 100
    design = SMALL.with_(
        schemes=("nope", "sinusoidal"), tasks=("characters",), context=8, text=text, seeds=1, items=40,
        probes=("position", "sliding", "shuffle"),
    )  # fmt: skip
    nope, sinusoidal = run(design, tmp_path / "run").rows(design)
    assert sorted(nope.probes["position"]) == ["0", "1", "2"]
    assert sinusoidal.probes["position"]["0"].mean < 0.5 < nope.probes["position"]["0"].mean
    assert [*nope.probes["sliding"]] == ["8", "12", "16", "32", "64"]
    assert len(nope.probes["shuffle"]["ordered"].scores) == len(nope.probes["shuffle"]["shuffled"].scores)
    assert (nope.flops, nope.cache_bytes) == (sinusoidal.flops, 2 * 2 * 16 * 4)  # k and v, layers, dim, bytes


def test_words_and_their_kinds_from_end_to_end(tmp_path):
    """Parts of speech reach the scheme that reads them, and the report counts in words."""
    learned = Contender("tagged", {"learned": True})
    design = SMALL.with_(
        schemes=("rope", "tagged", learned), tasks=("words",), context=4, seeds=1, steps=12, rates=(0.02,),
        text="史进看见鲁达，鲁达又打镇关西。" * 100, probes=("shuffle",),
    )  # fmt: skip
    store = run(design, tmp_path / "run")
    rope, tagged, learns = store.rows(design)
    assert sorted(rope.measured) == [4, 6, 8, 16, 32]
    assert rope.measured == tagged.measured  # all steps are 1, which is plain RoPE
    assert rope.measured != learns.measured
    assert (tagged.position_parameters, learns.position_parameters) == (0, 11)  # jieba's kinds of words
    said = {part.heading: part.table for part in sections(report(store), "en")}
    assert "Next word (words): loss, nats a word, lower is better; trained up to 4" in said
    (shuffled,) = (table for heading, table in said.items() if "shuffled" in heading)
    assert [row[0] for row in shuffled] == ["scheme", "rope", "tagged", "tagged(learned=True)"]


def test_an_encoder_without_positions_says_the_same_of_equal_letters(tmp_path):
    task = SMALL.task("reverse-at-once")
    made = Trial(SMALL, Contender("nope"), task, 0, 1, 1e-3)
    items = task.test(0, 12, 30)
    logits, _, _ = made.guesses(items)
    said = logits.argmax(-1).reshape(30, 12)
    for row, letters in zip(said.tolist(), items.tokens.tolist(), strict=True):
        assert len(set(zip(letters, row, strict=True))) == len(set(letters))


def test_randomised_positions_are_sorted_samples_drawn_alike_in_each_test():
    contender = Contender("rope", randomised_to=40)
    made = Trial(SMALL, contender, SMALL.task("copy"), 0, 1, 1e-3)
    items = made.task.test(0, 6, 5)
    given, *_ = made.given(items)
    trained, other = (made.positions(items, given) for _ in range(2))
    assert not torch.equal(trained, other)
    assert (trained.diff(dim=1) > 0).all()
    assert 0 <= trained.min() < trained.max() < 40
    made.model.eval()
    assert torch.equal(made.positions(items, given), made.positions(items, given))
    with pytest.raises(ClockhandsError, match="randomised_to is 1"):
        Contender("rope", randomised_to=1)


def test_two_at_once_in_one_folder_are_refused(tmp_path):
    store = run(SMALL.with_(seeds=1), tmp_path / "run")
    with alone_in(store.path), pytest.raises(ClockhandsError, match="another training is at work"):
        resume(store.path)


def test_what_cannot_run_is_said_before_anything_is_written(tmp_path):
    with pytest.raises(ClockhandsError, match=r"learned\(max_positions=4\): position"):
        run(SMALL.with_(schemes=("nope", Contender("learned", {"max_positions": 4}))), tmp_path / "run")
    with pytest.raises(ClockhandsError, match=r"tagged: .*parts of speech"):
        run(SMALL.with_(schemes=("nope", "tagged")), tmp_path / "run")
    with pytest.raises(ClockhandsError, match="workers is 0"):
        run(SMALL, tmp_path / "run", workers=0)
    assert not (tmp_path / "run").exists()


def test_at_equal_cost_a_dearer_scheme_gets_fewer_steps(tmp_path):
    """Shaw's vectors are matrix products of their own."""
    design = SMALL.with_(matching="flops", schemes=("nope", "shaw"), seeds=1, steps=8)
    store = run(design, tmp_path / "run")
    kept = store.design()
    assert kept.costs["nope"] == {"copy": 1.0}
    assert kept.costs["shaw"]["copy"] > 1.0
    plain, dear = cells(kept)
    assert plain.steps == 8
    assert dear.steps == round(8 / kept.costs["shaw"]["copy"]) < 8
    assert [row.hidden for row in store.rows(kept)] == [64, 64]
