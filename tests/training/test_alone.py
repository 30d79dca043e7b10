"""Two runs in one folder: the second is told, and neither harms the other."""

import multiprocessing
import sys
import time

import pytest

from clockhands.errors import ClockhandsError
from clockhands.training import attend, resume_attend, run_attend
from clockhands.training.alone import alone_in
from clockhands.training.loop import train
from clockhands.training.run_folder import RunFolder


def held(folder, seconds):
    """Hold a folder in a process of its own; the file ``in`` says that it is held."""
    with alone_in(folder):
        (folder / "in").touch()
        time.sleep(seconds)


def test_a_folder_lets_one_in_until_it_leaves(tmp_path):
    for _ in range(2):
        with alone_in(tmp_path):
            with pytest.raises(ClockhandsError, match="another training is at work in"), alone_in(tmp_path):
                pass
            with pytest.raises(ClockhandsError, match="another training"), alone_in(tmp_path):
                pass


def test_a_killed_process_lets_go(tmp_path):
    process = multiprocessing.get_context("spawn").Process(target=held, args=(tmp_path, 60))
    process.start()
    while process.is_alive() and not (tmp_path / "in").exists():
        time.sleep(0.01)
    with pytest.raises(ClockhandsError, match="another training"), alone_in(tmp_path):
        pass
    process.kill()
    process.join()
    with alone_in(tmp_path):
        pass


def test_where_there_are_no_locks_the_run_goes_on(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError("locks are not supported here")

    module, name = ("msvcrt", "locking") if sys.platform == "win32" else ("fcntl", "flock")
    monkeypatch.setattr(f"{module}.{name}", unsupported)
    with alone_in(tmp_path), alone_in(tmp_path):
        pass


def test_a_second_run_is_refused_while_the_first_trains(tiny, tmp_path, monkeypatch):
    said = []

    def second(done):
        if done == 2:
            for again in (lambda: run_attend(tiny(), tmp_path, quiet=True), lambda: resume_attend(tmp_path)):
                with pytest.raises(ClockhandsError, match="another training is at work") as caught:
                    again()
                said.append(caught.value.text.zh)

    monkeypatch.setattr(attend, "train", lambda *args, **how: train(*args, **how, after_step=second))
    result = run_attend(tiny(), tmp_path, quiet=True)
    assert len(said) == 2
    monkeypatch.undo()
    assert (resume_attend(tmp_path, quiet=True).attention[0].values == result.attention[0].values).all()


def test_what_was_begun_meanwhile_is_not_written_over(tiny, tmp_path, monkeypatch):
    run_attend(tiny(), tmp_path, quiet=True)
    before = (tmp_path / "config.json").read_bytes()
    seen = RunFolder.has_progress.fget
    answers = iter([False])
    monkeypatch.setattr(RunFolder, "has_progress", property(lambda self: next(answers, seen(self))))
    with pytest.raises(ClockhandsError, match="at the same time"):
        run_attend(tiny(seed=5), tmp_path, quiet=True)
    assert (tmp_path / "config.json").read_bytes() == before
