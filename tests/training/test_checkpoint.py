"""States of a run on disk: one whole state is always there."""

import errno
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from clockhands.errors import ClockhandsError
from clockhands.training.checkpoint import Checkpoints, load_weights, save_weights
from clockhands.training.corpus import prepared
from clockhands.training.history import History
from clockhands.training.loop import train
from clockhands.training.tasks import Masked


@pytest.fixture
def new_job(tiny, cpu):
    """Makes the same untrained job again and again."""

    def make(**changes):
        settings = tiny(scheme="learned", layers=2, **changes)
        return Masked(settings, prepared(settings), cpu)

    return make


def weights(job):
    return {name: each.detach().clone() for name, each in job.model.named_parameters()}


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def saved(folder, job, *steps):
    """Checkpoints of ``job`` after each of these steps, with a weight that tells them apart."""
    checkpoints = Checkpoints(folder)
    for step in steps:
        with torch.no_grad():
            job.model.norm.bias.fill_(step)
        history = History()
        for each in range(1, step + 1):
            history.add(each, {"loss": each / 3})
        checkpoints.save(job, step, history)
    return checkpoints


def bias_of(job):
    return job.model.norm.bias[0].item()


def test_a_state_comes_back_to_the_last_bit(tmp_path, new_job):
    job = new_job()
    history = train(job, Checkpoints(tmp_path), quiet=True)
    again = new_job()
    step, remembered = Checkpoints(tmp_path).load(again)
    assert step == job.steps
    assert same(weights(again), weights(job))
    for name in ("loss", "held_out"):
        assert remembered.values(name).tolist() == history.values(name).tolist()
    ours, theirs = (each.optimizer.state_dict()["state"] for each in (job, again))
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[i][name], theirs[i][name]) for i in ours for name in ours[i])


def test_two_files_take_turns_and_the_newest_counts(tmp_path, new_job):
    checkpoints = saved(tmp_path, new_job(), 1, 2, 3)
    steps = []
    for file in checkpoints.files:
        with safe_open(str(file), framework="pt") as opened:
            steps.append(opened.metadata()["step"])
    assert sorted(steps) == ["2", "3"]
    job = new_job()
    step, history = checkpoints.load(job)
    assert (step, bias_of(job), history.values("loss").tolist()) == (3, 3.0, [1 / 3, 2 / 3, 1.0])


def newest(checkpoints):
    return max(checkpoints.files, key=lambda file: file.stat().st_mtime_ns)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:-40] + bytes(byte ^ 1 for byte in data[-40:]),
        lambda data: b"\0" * len(data),
    ],
    ids=["half", "empty", "one bit", "zeros"],
)
def test_where_the_newest_is_damaged_the_one_before_counts(tmp_path, new_job, damage):
    checkpoints = saved(tmp_path, new_job(), 4, 5)
    newest(checkpoints).write_bytes(damage(newest(checkpoints).read_bytes()))
    job = new_job()
    assert checkpoints.load(job)[0] == 4
    assert bias_of(job) == 4


def test_where_both_are_damaged_that_is_said(tmp_path, new_job):
    checkpoints = saved(tmp_path, new_job(), 4, 5)
    for file in checkpoints.files:
        file.write_bytes(b"nothing")
    with pytest.raises(
        ClockhandsError, match=r"no state of the run is whole \(.*state-0.safetensors, .*state-1"
    ):
        checkpoints.load(new_job())


def test_a_state_of_another_version_is_none(tmp_path, new_job):
    checkpoints = saved(tmp_path, new_job(), 4, 5)
    content = newest(checkpoints).read_bytes()
    assert content.count(b'"version":"1"') == 1
    newest(checkpoints).write_bytes(content.replace(b'"version":"1"', b'"version":"2"'))
    assert checkpoints.load(new_job())[0] == 4


def test_without_files_a_run_starts_at_the_beginning(tmp_path, new_job):
    job = new_job()
    before = weights(job)
    assert Checkpoints(tmp_path).load(job)[0] == 0
    assert same(weights(job), before)


def test_a_state_of_another_model_is_refused(tmp_path, new_job):
    saved(tmp_path, new_job(), 1)
    with pytest.raises(ClockhandsError, match="another model"):
        Checkpoints(tmp_path).load(new_job(dim=16))


def test_a_full_disk_harms_no_state(tmp_path, new_job, monkeypatch):
    checkpoints = saved(tmp_path, new_job(), 1, 2)
    before = [file.read_bytes() for file in checkpoints.files]

    def full(self, data):
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ClockhandsError, match="the disk is full"):
        checkpoints.save(new_job(), 3, History())
    assert [file.read_bytes() for file in checkpoints.files] == before
    assert sorted(tmp_path.iterdir()) == sorted(checkpoints.files)


def test_weights_alone(tmp_path, new_job):
    job, path = new_job(), tmp_path / "weights.safetensors"
    with torch.no_grad():
        job.model.norm.bias.fill_(7)
    save_weights(path, job.model)
    again = new_job()
    load_weights(path, again.model)
    assert same(weights(again), weights(job))
    with safe_open(str(path), framework="pt") as opened:
        names = list(opened.keys())
    assert len([name for name in names if name.endswith("encoding.rows")]) == 1  # shared by the layers


@pytest.mark.parametrize("content", [None, b"", b"nothing"])
def test_missing_or_damaged_weights_are_said(tmp_path, new_job, content):
    path = tmp_path / "weights.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ClockhandsError, match="missing, damaged or of another model"):
        load_weights(path, new_job().model)
    save_weights(path, new_job(dim=16).model)
    with pytest.raises(ClockhandsError, match="another model"):
        load_weights(path, new_job().model)
