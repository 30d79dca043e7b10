"""The curves of a comparison as TensorBoard reads them."""

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
