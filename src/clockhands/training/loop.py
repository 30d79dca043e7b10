"""The training loop: one step after the other, seen, stoppable, and resumed as if nothing had happened."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import torch
from tqdm import tqdm as plain_tqdm

from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.models import stream
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.history import HELD_OUT, LOSS, History
from clockhands.training.job import Job

SAVING = 0.02
"""Share of the time that saving may take. Where a step takes 50 times as long as a save, each step is saved
and a killed run loses the last one at most; else what took as long as 50 saves. Ctrl-C loses nothing."""

EVALUATIONS = 10
TRAINING = Text("training", "训练")


class Bar(plain_tqdm):
    """A progress bar without the thread that tqdm starts beside it, which outlives it and forbids forks."""

    monitor_interval = 0


class Stopped(ClockhandsError):
    """Ctrl-C was pressed, and the run is saved as far as it came."""


def train(
    job: Job,
    checkpoints: Checkpoints | None = None,
    *,
    quiet: bool = False,
    lang: Language = "en",
    save_every: float | None = None,
    after_step: Callable[[int], None] | None = None,
) -> History:
    """Train ``job`` to its last step, from the state in ``checkpoints`` if there is one.

    quiet       no progress bar on the error stream
    save_every  seconds between two saves, 0: after each step; None: as often as costs a fiftieth of the time
    after_step  called with the number of steps done, before anything is saved

    Raises Stopped after Ctrl-C, and ClockhandsError if the loss is no longer a number.
    """
    done, history = (0, History()) if checkpoints is None else checkpoints.load(job)
    every = max(1, job.steps // EVALUATIONS)
    before, started = job.seconds, time.monotonic()
    saved_at, wait = time.monotonic(), save_every or 0.0  # the first step is saved, and shows what that costs
    job.model.train()
    with _interruptible() as asked_to_stop, Bar(
        total=job.steps, initial=done, disable=quiet, desc=TRAINING.said_in(lang), leave=False
    ) as bar:  # fmt: skip
        while done < job.steps:
            if done == 0:
                _measure(job, history, 0)
            loss = _step(job, history, done)
            done += 1
            if done % every == 0 or done == job.steps:
                _measure(job, history, done)
            bar.update()
            bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
            job.seconds = before + time.monotonic() - started
            if after_step is not None:
                after_step(done)
            stop = asked_to_stop()
            begun = time.monotonic()
            due = begun - saved_at >= wait or done == job.steps
            if checkpoints is not None and (due or stop):
                checkpoints.save(job, done, history)
                saved_at = time.monotonic()
                if save_every is None:
                    wait = (saved_at - begun) / SAVING
            if stop:
                raise _stopped(done, job.steps, saved=checkpoints is not None)
    if not all(bool(each.isfinite().all()) for each in job.model.parameters()):
        raise _no_number("nan", job.steps)
    return history


def _step(job: Job, history: History, step: int) -> float:
    with stream(job.seed, "step", step, device=job.device):
        loss, beside = job.loss(step)
    value = loss.item()
    if value != value or value in (float("inf"), float("-inf")):
        raise _no_number(str(value), step + 1)
    job.optimizer.zero_grad(set_to_none=True)
    loss.backward()
    job.after_backward()
    if job.clip is not None:
        torch.nn.utils.clip_grad_norm_(job.model.parameters(), job.clip)
    for group in job.optimizer.param_groups:
        group["lr"] = group.setdefault("full_lr", group["lr"]) * job.rate(step)
    job.optimizer.step()
    history.add(step + 1, {LOSS: value, **beside})
    return value


def _no_number(value: str, step: int) -> ClockhandsError:
    return ClockhandsError(
        f"the loss is {value} at step {step}: use a lower learning rate",
        f"第 {step} 步的损失是 {value}：请降低学习率",
    )


def _measure(job: Job, history: History, step: int) -> None:
    value = job.held_out()
    if value is not None:
        history.add(step, {HELD_OUT: value})


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Within it Ctrl-C ends the step first; a second one ends it at once. Yields whether it was pressed."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set  # only the main thread hears signals
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None or before is signal.SIG_IGN:
        yield pressed.is_set  # a program in the background is not meant to hear it, or something else does
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _stopped(done: int, steps: int, *, saved: bool) -> Stopped:
    if not saved:
        return Stopped(
            f"stopped after step {done} of {steps}; nothing was saved, since the run has no folder",
            f"已在第 {done} 步（共 {steps} 步）停下；这次训练没有目录，所以没有保存",
        )
    return Stopped(
        f"stopped after step {done} of {steps}, which is saved: go on with --resume",
        f"已在第 {done} 步（共 {steps} 步）停下，进度已保存：可用 --resume 继续",
    )
