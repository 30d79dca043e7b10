"""What a comparison refuses before it trains, and what of a scheme it survives and says."""

import dataclasses
import math

import pytest
import torch

from clockhands.cli.entry import main
from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.measures import of_shared_items
from clockhands.experiments.recipes import Recipe, carry_out
from clockhands.experiments.run import chosen_rate, resume, run
from clockhands.experiments.store import Store
from clockhands.experiments.trial import Trial
from clockhands.language import Text

SMALL = Design(
    schemes=("nope", "rope"), tasks=("copy",), seeds=1, steps=2, batch=4, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=1),
)  # fmt: skip


@pytest.fixture
def no_numbers_far(monkeypatch):
    """RoPE whose outputs are NaN in rows of more than eleven tokens, past the training length."""
    plain = Trial.guesses

    def guesses(self, items, rows=slice(None)):
        logits, said, at = plain(self, items, rows)
        far = self.scheme.id == "rope" and items.tokens.shape[1] > 11
        return torch.full_like(logits, float("nan")) if far else logits, said, at

    monkeypatch.setattr(Trial, "guesses", guesses)


def test_outputs_that_are_no_numbers_past_the_training_length_are_undefined_there(tmp_path, no_numbers_far):
    nope, rope = run(SMALL, tmp_path / "run").rows(SMALL)
    assert nope.undefined == {}
    assert rope.failed is None
    assert set(rope.measured) == {3, 4}
    assert set(rope.undefined) == {6, 12}
    assert all(one.en.startswith("its outputs are no numbers") for one in rope.undefined.values())


def test_outputs_that_are_no_numbers_at_the_training_length_are_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "clockhands.experiments.run.require_runnable", lambda design: None
    )  # which would refuse it beforehand
    plain = Trial.guesses

    def guesses(self, items, rows=slice(None)):
        logits, said, at = plain(self, items, rows)
        return (logits if self.model.training else logits * float("inf")), said, at

    monkeypatch.setattr(Trial, "guesses", guesses)
    rows = run(SMALL, tmp_path / "run").rows(SMALL)
    assert all("are no numbers (inf or NaN) in rows of" in row.failed.en for row in rows)


@pytest.mark.parametrize(
    "error", [KeyError("x"), ImportError("no such thing"), SystemExit(0), OSError("disk")]
)
def test_a_scheme_that_cannot_read_a_row_is_named_before_anything_is_written(tmp_path, monkeypatch, error):
    plain = Trial.__init__

    def raises(self, design, scheme, *more, **settings):
        if scheme.id == "rope":
            raise error
        plain(self, design, scheme, *more, **settings)

    monkeypatch.setattr(Trial, "__init__", raises)
    with pytest.raises(ClockhandsError, match=f"^rope: the scheme raised {type(error).__name__}"):
        run(SMALL, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("error", [ImportError("late"), OSError("late"), SystemExit(0), Exception("late")])
def test_whatever_a_scheme_raises_while_it_trains_the_others_go_on(tmp_path, monkeypatch, error):
    plain = Trial.loss

    def loss(self, step):
        if self.scheme.id == "rope" and step == 1:
            raise error
        return plain(self, step)

    monkeypatch.setattr(Trial, "loss", loss)
    nope, rope = run(SMALL, tmp_path / "run").rows(SMALL)
    assert nope.failed is None
    assert rope.failed.en.startswith(f"the scheme raised {type(error).__name__}")


def test_multiples_that_leave_no_longer_test_are_refused():
    with pytest.raises(ClockhandsError, match=r"leave copy no test past .* 3: give one of at least 1.33"):
        SMALL.with_(multiples=(1, 1.2))
    assert SMALL.with_(multiples=(1, 1.34)).about("copy").lengths == (3, 4)


def test_a_rate_whose_loss_is_no_number_is_never_chosen(tmp_path):
    design = SMALL.with_(rates=(1e-3, 1e-2), tuning_steps=2)
    done, store = run(design, tmp_path / "run"), Store(tmp_path / "other")
    store.begin(design)
    for cell in cells(design):
        if cell.stage == "tuning":
            lost = cell.rate == 1e-3
            store.save(cell, dataclasses.replace(done.row(cell), validation=math.inf if lost else 5.0))
    final = [cell for cell in cells(design) if cell.stage == "final"]
    assert {chosen_rate(store, design, cell) for cell in final} == {1e-2}


def test_stopped_between_the_promise_and_the_design_it_can_be_begun_again(tmp_path, monkeypatch):
    store = Store(tmp_path / "run")
    monkeypatch.setattr(Store, "design_file", property(lambda self: self.path / "missing" / "design.json"))
    with pytest.raises(ClockhandsError, match="can't be written"):
        store.begin(SMALL)
    monkeypatch.undo()
    assert store.promise_file.exists()
    assert len(run(SMALL, store.path).finished()) == 2


@pytest.mark.parametrize("name", ["text.txt", "preregistration.json"])
def test_a_file_of_somebody_elses_is_never_written_over(tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(ClockhandsError, match="is there already"):
        run(SMALL, tmp_path)
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_a_report_is_not_written_over_the_comparison(tmp_path, capsys):
    folder = tmp_path / "run"
    run(SMALL, folder)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for name in ("design.json", "../run/preregistration.json"):
        assert main(["compare", "report", str(folder), "-o", str(folder / name), "--lang", "en"]) == 2
        assert "is the comparison itself: give the report another name" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before


def test_a_recipe_is_matched_as_a_comparison_is(tmp_path):
    """Costs are measured once, kept in the design, and the same when it goes on."""
    design = SMALL.with_(schemes=("nope", "deberta"), matching="flops", steps=8)
    recipe = Recipe("small", Text("Small", "小"), Text("Does it?", "行吗？"), {"copy": design}, ())
    carry_out(recipe, tmp_path)
    store = Store(tmp_path / "copy")
    alone = run(design, tmp_path / "alone").design()
    assert store.design().costs == alone.costs
    assert store.design().costs["deberta"]["copy"] > 1
    carry_out(recipe, tmp_path)
    resume(tmp_path / "alone")
    with pytest.raises(ClockhandsError, match="results of another design"):
        carry_out(dataclasses.replace(recipe, parts={"copy": design.with_(steps=9)}), tmp_path)


def test_windows_of_a_text_are_the_same_for_all_seeds():
    text = "we read on and on. " * 400
    design = SMALL.with_(tasks=("characters", "copy"), text=text, context=8)
    assert of_shared_items(design.about("characters"), "past")
    assert of_shared_items(design.about("copy"), "position:1")
    assert not of_shared_items(design.about("copy"), "past")
    for id, same in (("characters", True), ("copy", False)):
        task = design.task(id)
        one, other = (task.test(seed, task.length, 6).tokens for seed in (0, 1))
        assert (one.shape == other.shape and bool((one == other).all())) == same


@pytest.mark.parametrize(
    ("task", "scheme", "says"),
    [
        ("reverse", "rope", "the hypothesis 'h' is about the task reverse, which no part"),
        ("copy", "ropee", "the hypothesis 'h' names ropee, which is not compared: name one of nope, rope"),
    ],
)
def test_a_hypothesis_that_nothing_decides_is_refused_beforehand(tmp_path, task, scheme, says):
    one = Hypothesis("h", Text("so", "是"), task, "past", scheme, 1, ("nope",))
    recipe = Recipe("small", Text("Small", "小"), Text("Does it?", "行吗？"), {"copy": SMALL}, (one,))
    with pytest.raises(ClockhandsError, match=says):
        carry_out(recipe, tmp_path / "run")
    assert not (tmp_path / "run").exists()
