"""The curves of a comparison as TensorBoard reads them."""

import types

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.experiments import run, tensorboard
from clockhands.experiments.design import Contender, Design, ModelSize

SMALL = Design(
    schemes=("nope", Contender("rope", {"rope_theta": 500})), tasks=("copy",), seeds=1, steps=40, batch=4,
    items=6, length=3, model=ModelSize(dim=16, heads=2, layers=1),
)  # fmt: skip


def test_each_training_that_ended_has_its_curves_once(tmp_path):
    log = tmp_path / "log"
    store = run.run(SMALL, tmp_path / "run", log=log)
    places = [log / "copy" / name / "seed 0" for name in ("nope", "rope(rope_theta=500)")]
    for place, row in zip(places, store.rows(SMALL), strict=True):
        read = EventAccumulator(str(place))
        read.Reload()
        found = {tag: [(one.step, one.value) for one in read.Scalars(tag)] for tag in read.Tags()["scalars"]}
        assert found[tensorboard.TRAINING] == [
            (2 * part, pytest.approx(loss, rel=1e-6)) for part, loss in enumerate(row.losses, start=1)
        ]
        assert found[tensorboard.WITHIN] == [(40, pytest.approx(row.validation))]
        scores = [(length, pytest.approx(one.mean)) for length, one in row.measured.items()]
        assert found[tensorboard.BY_LENGTH] == scores
    before = [sorted(place.iterdir()) for place in places]
    run.resume(tmp_path / "run", log=log)
    assert [sorted(place.iterdir()) for place in places] == before
    late = tmp_path / "late"  # what ended without a log is logged by whoever goes on
    run.resume(tmp_path / "run", log=late)
    assert sorted(one.name for one in (late / "copy").iterdir()) == ["nope", "rope(rope_theta=500)"]


def test_labels_that_no_folder_can_have_get_folders_of_their_own(tmp_path):
    """What is replaced or cut in a name is told apart by a checksum."""
    log = tensorboard.Log(tmp_path, store=None, design=SMALL)
    labels = ["a/b", "a:b", "龙" * 300, "龙" * 301, "rope(rope_theta=500)"]
    places = []
    for label in labels:
        cell = next(iter(log._waiting.values()))
        scheme = types.SimpleNamespace(label=label)
        places.append(
            log._place(types.SimpleNamespace(scheme=scheme, stage="final", task="copy", seed=cell.seed))
        )
    assert len({place.parent for place in places}) == 5
    assert all(len(place.parent.name.encode()) < 255 for place in places)
    assert places[-1].parent.name == "rope(rope_theta=500)"


def test_a_log_is_not_begun_for_a_run_that_is_refused(tmp_path):
    with pytest.raises(ClockhandsError):
        run.run(SMALL.with_(schemes=("nope", "tagged")), tmp_path / "run", log=tmp_path / "new" / "log")
    assert not (tmp_path / "new").exists()


def test_without_tensorboard_the_extra_is_named_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"clockhands\[log\]"):
        run.run(SMALL, tmp_path / "run", log=tmp_path / "log")
    assert not (tmp_path / "run").exists()


def test_a_log_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "log").write_text("a file in the way")
    with pytest.raises(ClockhandsError, match="log can't be written"):
        run.run(SMALL, tmp_path / "run", log=tmp_path / "log")
    assert not (tmp_path / "run").exists()
