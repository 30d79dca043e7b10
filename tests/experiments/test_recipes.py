"""Recipes: verdicts on hypotheses, the measures that they are about, and the pages written of them."""

import dataclasses
import re

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.measures import described, values
from clockhands.experiments.recipes import Recipe, carry_out
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.store import Store
from clockhands.experiments.verdicts import verdicts
from clockhands.language import Text
from recipes import NAMES, RECIPES
from recipes.__main__ import DOCS, RESULTS, main
from recipes.index import write as write_index
from recipes.writing import write

DESIGN = Design(schemes=("rope", "alibi", "nope"), tasks=("copy",), seeds=8, length=4, multiples=(1, 2))
PAST = {"rope": 0.1, "alibi": 0.9, "nope": 0.5}
SAYS = Text("it is so", "是这样")


def row_of(scheme, seed, past, **changes):
    """Ten items, so many of which are right past the training length."""
    right = tuple(float(index < past * 10) for index in range(10))
    measured = {4: Measured((1.0,) * 10, 1.0), 8: Measured(right, past)}
    return Row(f"{scheme}{seed}", "final", scheme, "copy", seed, 1e-3, measured=measured, **changes)


def rows(past=PAST, seeds=8):
    """One seed in two is a little better, so that no two are equal."""
    return [row_of(label, seed, of + 0.1 * (seed % 2)) for label, of in past.items() for seed in range(seeds)]


def claim(sign=1, scheme="alibi", than=("rope",), measure="past", **more):
    return Hypothesis(f"{scheme}{than}", SAYS, "copy", measure, scheme, sign, than, **more)


def judged(*hypotheses, found=None):
    return verdicts(hypotheses, {"copy": (DESIGN, rows() if found is None else found)})


@pytest.mark.parametrize(
    ("one", "outcome"),
    [
        (claim(), "supported"),
        (claim(than=("rope", "nope")), "supported"),
        (claim(-1), "contradicted"),
        (claim(scheme="nope", than=("rope", "alibi")), "open"),  # more than one, less than the other
        (claim(-1, scheme="rope", than=(), bound=0.3), "supported"),
        (claim(1, scheme="rope", than=(), bound=0.3), "contradicted"),
        (claim(0), "supported"),
        (claim(measure="within"), "open"),  # all alike
        (claim(undefined=True), "contradicted"),
    ],
)
def test_a_hypothesis_is_decided_by_all_its_seeds(one, outcome):
    (verdict,) = judged(one)
    assert verdict.outcome == outcome
    assert verdict.seeds == (8, 8)
    if one.than and not one.undefined and one.measure == "past":
        assert verdict.p == 2 / 256  # all eight seeds on one side


def test_one_missing_seed_leaves_it_waiting_with_what_there_is():
    (verdict,) = judged(claim(), found=[row for row in rows() if (row.scheme, row.seed) != ("rope", 3)])
    assert (verdict.outcome, verdict.seeds, verdict.corrected) == ("waiting", (7, 8), None)
    assert verdict.intervals[0].value == pytest.approx(0.8)
    failed = [row_of("rope", 3, 0.0, failed=Text("no", "否")) if row.id == "rope3" else row for row in rows()]
    assert judged(claim(), found=failed)[0].outcome == "waiting"


def test_all_hypotheses_share_the_correction():
    """Eight seeds reach 1/128; seven hypotheses make 7/128, which is past 0.05."""
    seven = [claim(), *(claim(measure="within") for _ in range(6))]
    assert [one.outcome for one in judged(*seven)] == ["open"] * 7
    assert judged(*seven[:6])[0].corrected == pytest.approx(6 / 128)
    assert judged(*seven[:6], claim(undefined=True))[0].outcome == "supported"  # which is no test


def test_a_table_that_ends_is_what_some_hypotheses_say():
    ends = [
        dataclasses.replace(row, measured={4: row.measured[4]}, undefined={8: Text("it ends", "到此为止")})
        if row.scheme == "rope" else row for row in rows()
    ]  # fmt: skip
    says, compared = judged(claim(scheme="rope", than=(), undefined=True), claim(), found=ends)
    assert says.outcome == "supported"
    assert compared.outcome == "waiting"  # there is nothing to compare with
    assert judged(claim(scheme="rope", than=("nope",)), found=ends)[0].outcome == "undefined"


def test_measures_are_read_off_a_row():
    window = {
        16: Measured((2.0, 3.0), 0.0),
        24: Measured((2.5, 3.0), 0.0),
        32: Measured((4.0, 4.0, 9.0), 0.0),
    }
    probes = {
        "sliding": {"16": Measured((1.0, 1.0), 0.0), "32": Measured((1.5, 2.5), 0.0)},
        "position": {"1": Measured((0.5, 0.7), 0.0)},
        "shuffle": {"ordered": Measured((1.0, 1.0), 0.0), "shuffled": Measured((2.0, 4.0), 0.0)},
    }
    row = Row("a", "final", "rope", "characters", 0, 1e-3, measured=window, probes=probes)
    for measure, expected in {
        "within": (2, 3), "past": (3.25, 3.5), "at:2": (4, 4, 9), "rise:2": (2, 1), "sliding:2": (1.5, 2.5),
        "sliding-rise:2": (0.5, 1.5), "position:1": (0.5, 0.7), "shuffle": (1, 3),
    }.items():  # fmt: skip
        assert np.allclose(values(row, measure, (16, 24, 32)), expected), measure
        assert described(measure).zh
    assert values(row, "at:4", (16, 24, 32)) is None
    assert values(row, "position:9", (16, 24, 32)) is None
    assert values(dataclasses.replace(row, failed=SAYS), "within", (16, 24, 32)) is None
    with pytest.raises(ClockhandsError, match="'best' is no measure"):
        described("best")


@pytest.mark.parametrize("name", RECIPES)
def test_every_published_recipe_hangs_together(name):
    """Its hypotheses speak of its own schemes, tasks, and lengths, and its seeds can decide each of them."""
    recipe = RECIPES[name]("一" * 100_000)
    tests = sum(not one.undefined for one in recipe.hypotheses)
    for one in recipe.hypotheses:
        design = next(each for each in recipe.parts.values() if one.task in each.tasks)
        labels = {scheme.label for scheme in design.schemes}
        assert {one.scheme, *one.than} <= labels
        kind, _, rest = one.measure.partition(":")
        lengths = design.about(one.task).lengths
        if kind in ("at", "rise", "sliding", "sliding-rise"):
            assert int(lengths[0] * float(rest)) in lengths
        if kind in ("position", "shuffle", "sliding", "sliding-rise"):
            assert kind.removesuffix("-rise") in design.probes
        assert tests * 2.0 ** (1 - design.seeds) <= 0.05


SAID = Text("RoPE copies more | than none", "RoPE 抄得更多")


def small(**changes):
    design = Design(schemes=("nope", "rope"), tasks=("copy",), seeds=2, steps=2, batch=2, items=4, length=2)
    return Recipe(
        "small", Text("A small one", "小实验"), Text("Does it run?", "能运行吗？"),
        {"copy": design.with_(**changes)}, (Hypothesis("h", SAID, "copy", "past", "rope", 1, ("nope",)),),
    )  # fmt: skip


def test_a_recipe_is_carried_out_and_its_page_written_from_its_results(tmp_path):
    recipe = small()
    folder, docs = tmp_path / "results", tmp_path / "docs"
    write(dataclasses.replace(recipe, notes=(Text("Tried before.", "先试过。"),)), folder, docs)
    assert "Does it run?\n\nTried before.\n" in (docs / "small.md").read_text(encoding="utf-8")
    assert "先试过。" in (docs / "small.zh.md").read_text(encoding="utf-8")
    assert "Nothing has been run yet." in (docs / "small.md").read_text(encoding="utf-8")
    carry_out(recipe, folder)
    english, chinese = (path.read_text(encoding="utf-8") for path in write(recipe, folder, docs))
    assert "4 of 4 trainings finished" in english
    assert re.search(r"\| RoPE copies more &#124; than none \| open: .+ way \| [-+]", english)
    assert "| RoPE 抄得更多 | 未定：种子数不足以判断 |" in chinese
    store = Store(folder / "copy")
    for row in store.rows(store.design()):
        said = " | ".join(f"{row.measured[n].mean:.3f}" for n in sorted(row.measured))
        assert f"| `{row.scheme}` | {row.seed} | {said} |" in english
    one, another = (path.read_text(encoding="utf-8") for path in write_index(docs, ["absent", "small"]))
    assert one.splitlines()[-1].startswith("| [A small one](small.md) | 1 open | 4 of 4 trainings finished, ")
    assert another.splitlines()[-1].startswith("| [小实验](small.zh.md) | 1 未定 | 4 次训练中完成了 4 次，")
    carry_out(recipe, folder)  # which finds nothing to do
    with pytest.raises(ClockhandsError, match="results of another design"):
        carry_out(small(steps=3), folder)
    assert len(store.finished()) == len(cells(store.design()))


def test_a_recipe_that_was_never_begun_gets_no_page(tmp_path, monkeypatch, capsys):
    before = {path.name: path.stat().st_mtime_ns for path in DOCS.iterdir()}
    monkeypatch.setattr("sys.argv", ["recipes", "--write", "--folder", str(tmp_path)])
    assert main() == 0
    assert capsys.readouterr().err.splitlines() == [
        f"{name}: left out, since it was never begun" for name in NAMES
    ]
    assert {path.name: path.stat().st_mtime_ns for path in DOCS.iterdir()} == before


def test_all_pages_of_results_are_what_the_results_give(tmp_path):
    """Nobody wrote a word or a number of them by hand."""
    for name, recipe in RECIPES.items():
        if (RESULTS / name).exists():
            for path in write(recipe("一" * 100_000), RESULTS / name, tmp_path):
                assert path.read_text("utf-8") == (DOCS / path.name).read_text("utf-8"), path.name
    for path in write_index(DOCS, NAMES, into=tmp_path):
        assert path.read_text("utf-8") == (DOCS / path.name).read_text("utf-8"), path.name
