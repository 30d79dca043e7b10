"""Designs, the cells they give, and the folder that keeps them."""

import json

import pytest

from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.store import Store
from clockhands.language import Text

PLAIN = Design(schemes=("rope", "nope"), tasks=("copy", "reverse"), seeds=2)


def row_of(cell, **changes):
    about = {"id": cell.id, "stage": cell.stage, "scheme": cell.scheme.label, "task": cell.task}
    return Row(**about, seed=cell.seed, rate=0.1, **changes)


def test_cells_are_named_by_what_determines_them():
    ids = [cell.id for cell in cells(PLAIN)]
    assert len(set(ids)) == len(ids) == 8
    assert ids == [cell.id for cell in cells(PLAIN.with_())]
    more = {cell.id for cell in cells(PLAIN.with_(seeds=3, schemes=("alibi", "rope", "nope")))}
    assert set(ids) < more  # what was computed stays good
    for change in (
        {"steps": 7}, {"batch": 7}, {"rates": (0.1,)}, {"rates": (0.1, 0.2)}, {"length": 9}, {"items": 7},
        {"model": ModelSize(dim=32)}, {"multiples": (1, 3)},
        {"probes": ("position",)}, {"schemes": (Contender("rope", {"rope_theta": 7}), Contender("alibi"))},
    ):  # fmt: skip
        assert not set(ids) & {cell.id for cell in cells(PLAIN.with_(**change))}, change
    assert ids == [cell.id for cell in cells(PLAIN.with_(context=9))]  # no task here reads it


def test_rates_are_chosen_before_with_seeds_of_their_own():
    design = PLAIN.with_(rates=(1e-3, 3e-3), tuning_seeds=1)
    tuning, final = cells(design)[:8], cells(design)[8:]
    assert {(cell.stage, cell.rate) for cell in tuning} == {("tuning", 1e-3), ("tuning", 3e-3)}
    assert {(cell.stage, cell.rate) for cell in final} == {("final", None)}
    assert not {cell.seed for cell in tuning} & {cell.seed for cell in final}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schemes": ("rope",)}, "schemes has 1 of the 2"),
        ({"schemes": ("rope", "rope")}, "schemes names 'rope' twice"),
        ({"schemes": ("rope", "ropee")}, "did you mean 'rope'"),
        ({"schemes": ("nope", Contender("rope", {"rope_theta": -1}))}, r"rope_theta \(rope\("),
        ({"tasks": ()}, "tasks has 0 of the 1"),
        ({"tasks": ("copi",)}, "did you mean 'copy'"),
        ({"tasks": ("characters",)}, "needs a text"),
        ({"seeds": 0}, "seeds is 0"),
        ({"rates": (0.0,)}, "rates is 0"),
        ({"model": {"dim": 30}}, "heads must divide dim"),
        ({"probes": ("positions",)}, "did you mean 'position'"),
        ({"multiples": (1.5, 2)}, "multiples is"),
        ({"matching": "flop"}, "did you mean 'flops'"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_trained(changes, says):
    with pytest.raises(ClockhandsError, match=says):
        PLAIN.with_(**{name: ModelSize(**v) if name == "model" else v for name, v in changes.items()})


def test_the_folder_gives_back_what_was_asked(tmp_path):
    text = "史进\r\n鲁达，" * 400
    turned = Contender("rope", {"rope_theta": 500.0})
    design = PLAIN.with_(schemes=("nope", turned), tasks=("copy", "characters"), context=8, text=text)
    store = Store(tmp_path / "run")
    store.begin(design)
    assert store.design() == design
    promised = json.loads(store.promise_file.read_text(encoding="utf-8"))
    assert promised["smallest_p"] == 0.5
    assert promised["seeds_needed"] == 7
    assert promised["comparisons"] == [["copy", "nope", turned.label], ["characters", "nope", turned.label]]
    assert promised["updates"] == 8 * design.steps
    with pytest.raises(ClockhandsError, match="go on with --resume"):
        store.begin(design)
    store.text_file.write_text("other", encoding="utf-8")
    with pytest.raises(ClockhandsError, match="damaged"):
        store.design()


def test_rows_come_back_and_what_is_missing_is_known(tmp_path):
    store = Store(tmp_path)
    store.begin(PLAIN)
    first, second, *rest = cells(PLAIN)
    scores = Measured((1.0, 0.0), 0.75)
    kept = row_of(first, measured=dict.fromkeys((8, 12, 16, 32), scores), validation=0.5, parameters=3)
    store.save(first, kept)
    store.save(second, row_of(second, failed=Text("it diverged", "发散了")))
    assert list(store.missing(PLAIN)) == rest
    one, other = store.rows(PLAIN)
    assert one == kept
    assert one.measured[8].mean == 0.5
    assert other.failed == ("it diverged", "发散了")
    store.save(first, row_of(first, measured={8: Measured((0.0,), 0.0)}))
    assert store.row(first) == kept  # what is written stays
    store.cells_file.write_bytes(store.cells_file.read_bytes()[:50])
    with pytest.raises(ClockhandsError, match=r"cells\.sqlite is missing or damaged"):
        store.rows(PLAIN)


def test_a_folder_without_a_comparison_is_said(tmp_path):
    with pytest.raises(ClockhandsError, match=r"holds no comparison \(no design.json\)"):
        Store(tmp_path).design()
