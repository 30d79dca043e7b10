"""The loop: what a step does, Ctrl-C, and numbers that are none."""

import os
import signal

import pytest
import torch

from clockhands.errors import ClockhandsError
from clockhands.training import loop
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.corpus import prepared
from clockhands.training.loop import Stopped, train
from clockhands.training.schedule import warm_up_then_cosine
from clockhands.training.tasks import Masked


@pytest.fixture
def new_job(tiny, cpu):
    """Makes the same untrained job again and again."""

    def make(**changes):
        settings = tiny(**changes)
        return Masked(settings, prepared(settings), cpu)

    return make


def weights(job):
    return torch.cat([each.detach().flatten() for each in job.model.parameters()])


def pressing_at(step):
    return lambda done: os.kill(os.getpid(), signal.SIGINT) if done == step else None


def test_equal_seeds_give_equal_numbers_and_others_do_not(new_job):
    jobs = [new_job(seed=seed) for seed in (0, 0, 1)]
    curves = [train(job, quiet=True).values("loss").tolist() for job in jobs]
    assert curves[0] == curves[1] != curves[2]
    assert torch.equal(weights(jobs[0]), weights(jobs[1]))


def test_torchs_own_generator_plays_no_part(new_job):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = new_job(dropout=0.5)
    train(first, quiet=True)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    second = new_job(dropout=0.5)
    train(second, quiet=True)
    assert torch.equal(weights(first), weights(second))


def test_each_step_has_its_own_dropout(new_job):
    """Were it the same, two steps on one window without learning would have one loss."""
    job = new_job(texts=("一二三四五六七",), dropout=0.5, held_out=0.0, hidden_share=0.9, learning_rate=1e-8)
    losses = train(job, quiet=True).values("loss")
    assert len(set(losses.tolist())) == len(losses)


def test_training_learns(new_job):
    losses = train(new_job(epochs=60, dropout=0.0), quiet=True).values("loss")
    assert losses[-8:].mean() < 0.8 * losses[:8].mean()


def test_held_out_loss_is_measured_before_along_and_after(new_job):
    job = new_job(epochs=26)
    untrained = job.held_out()
    curve = train(job, quiet=True).curve("held_out")
    assert job.steps == 104
    assert curve.axes[0].values.tolist() == [*range(0, 104, 10), 104]
    assert curve.values[0] == untrained
    assert curve.values[-1] == job.held_out() < untrained


def test_ctrl_c_saves_and_resuming_gives_what_would_have_been(tmp_path, new_job):
    whole = new_job()
    expected = train(whole, quiet=True)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(Stopped, match=r"after step 4 of \d+, which is saved: go on with --resume"):
        train(new_job(), Checkpoints(tmp_path), quiet=True, save_every=3600, after_step=pressing_at(4))
    assert signal.getsignal(signal.SIGINT) is handler
    job = new_job()
    seen = []
    got = train(job, Checkpoints(tmp_path), quiet=True, after_step=seen.append)
    assert seen[0] == 5
    assert torch.equal(weights(job), weights(whole))
    assert got.tensors().keys() == expected.tensors().keys()
    assert all(torch.equal(got.tensors()[name], each) for name, each in expected.tensors().items())


def test_ctrl_c_without_a_folder_says_that_nothing_is_saved(new_job):
    with pytest.raises(Stopped, match="nothing was saved") as caught:
        train(new_job(), quiet=True, after_step=pressing_at(2))
    assert "没有保存" in caught.value.text.zh


def test_where_ctrl_c_is_ignored_it_stays_so(new_job):
    """As for a program that a shell script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        history = train(new_job(), quiet=True, after_step=pressing_at(2))
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(history.values("loss")) == len(train(new_job(), quiet=True).values("loss"))


def test_a_second_ctrl_c_stops_at_once(new_job):
    def press_twice(done):
        # Raised in this thread, the first is heard before the second comes; two kills may melt into one.
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(new_job(), quiet=True, after_step=press_twice)


def test_a_finished_run_is_not_trained_again(tmp_path, new_job):
    train(new_job(), Checkpoints(tmp_path), quiet=True)
    job, seen = new_job(), []
    train(job, Checkpoints(tmp_path), quiet=True, after_step=seen.append)
    assert seen == []


def test_saves_come_when_due_and_at_the_end(tmp_path, new_job, monkeypatch):
    steps = []
    monkeypatch.setattr(Checkpoints, "save", lambda self, job, step, history: steps.append(step))
    job = new_job()
    train(job, Checkpoints(tmp_path), quiet=True, save_every=3600)
    assert steps == [job.steps]
    steps.clear()
    train(job := new_job(), Checkpoints(tmp_path), quiet=True, save_every=0)
    assert steps == list(range(1, job.steps + 1))


class Clock:
    """Time that passes only when told."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.mark.parametrize(
    ("step", "save", "saved"),
    [
        (1.0, 1 / 64, [*range(1, 25)]),  # a step takes more than 50 saves: each is saved
        (1.0, 1 / 32, [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 24]),
        (1.0, 1 / 8, [1, 8, 15, 22, 24]),
        (1.0, 2.0, [1, 24]),
    ],
)
def test_by_default_saving_takes_a_fiftieth_of_the_time(tmp_path, new_job, monkeypatch, step, save, saved):
    clock, steps, job = Clock(), [], new_job(epochs=6)
    assert job.steps == 24

    def work(seconds):
        clock.now += seconds

    monkeypatch.setattr(loop, "time", clock)
    monkeypatch.setattr(Checkpoints, "save", lambda self, job, at, history: (steps.append(at), work(save)))
    train(job, Checkpoints(tmp_path), quiet=True, after_step=lambda _: work(step))
    assert steps == saved


def test_a_loss_that_is_no_number_is_said(new_job):
    job = new_job()
    with torch.no_grad():
        job.model.norm.weight.fill_(float("nan"))
    with pytest.raises(ClockhandsError, match="the loss is nan at step 1: use a lower learning rate"):
        train(job, quiet=True)


def test_weights_that_end_as_no_numbers_are_said(new_job, monkeypatch):
    job = new_job()

    def spoil(done):
        if done == job.steps:
            with torch.no_grad():
                job.model.norm.weight.fill_(float("inf"))

    monkeypatch.setattr(type(job), "held_out", lambda self: None)
    with pytest.raises(ClockhandsError, match=f"the loss is nan at step {job.steps}: use a lower"):
        train(job, quiet=True, after_step=spoil)


def test_gradients_are_clipped_and_the_rate_follows_the_schedule(new_job):
    job = new_job(epochs=20, learning_rate=0.5)
    train(job, quiet=True)
    assert sum(p.grad.square().sum() for p in job.model.parameters() if p.grad is not None) <= 1.001
    last = job.optimizer.param_groups[0]["lr"]
    assert last == pytest.approx(0.5 * warm_up_then_cosine(job.steps - 1, job.steps))


def test_progress_goes_to_the_error_stream_unless_quiet(new_job, capsys):
    train(new_job(), lang="zh")
    said = capsys.readouterr()
    assert said.out == ""
    assert "训练" in said.err
    train(new_job(), quiet=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("steps", [1, 5, 1000])
def test_the_schedule_rises_then_falls(steps):
    rates = [warm_up_then_cosine(step, steps) for step in range(steps)]
    top = rates.index(max(rates))
    assert max(rates) <= 1
    assert min(rates) > 0
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert top == min(max(steps // 10, 1), 50) - 1
