"""A run killed again and again, with the signal that no program hears, ends as if nothing had happened."""

import contextlib
import multiprocessing
import random
import time

from safetensors import SafetensorError, safe_open

from clockhands.training import resume_attend, run_attend
from clockhands.training.run_folder import RunFolder

KILLS = 20
FILES = ("weights.safetensors", "metrics.jsonl")


def steps_saved(folder):
    """Steps of the newest state, read from outside while another process may be writing."""
    steps = [0]
    for file in folder.glob("state-*.safetensors"):
        with contextlib.suppress(OSError, SafetensorError), safe_open(str(file), framework="pt") as opened:
            steps.append(int(opened.metadata()["step"]))
    return max(steps)


def killable():
    """A way to start processes that can be killed."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        # A new process then costs no import; the optimizers of torch import torch._dynamo when first used.
        context.set_forkserver_preload(["clockhands.training", "torch._dynamo", "array_api_compat.torch"])
    return context


def test_killed_with_saves_as_they_come_by_default(tmp_path, tiny):
    settings = tiny(epochs=40, dropout=0.2)
    killed = tmp_path / "killed"
    process = killable().Process(target=run_attend, args=(settings, killed), kwargs={"quiet": True})
    process.start()
    while process.is_alive() and not steps_saved(killed):
        time.sleep(0.003)
    process.kill()
    process.join()
    assert not (killed / "weights.safetensors").exists(), "it was not killed but came to its end"
    assert steps_saved(killed) >= 1
    resume_attend(killed, quiet=True)
    run_attend(settings, tmp_path / "whole", quiet=True)
    for name in FILES:
        assert (killed / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_killed_at_random_steps_and_resumed_the_weights_are_equal_to_the_last_bit(tmp_path, tiny):
    settings = tiny(epochs=12, dropout=0.2)
    steps = len(run_attend(settings, tmp_path / "whole", quiet=True).curves[0].values)
    killed = tmp_path / "killed"
    context = killable()
    chance = random.Random(0)
    stops = set()
    for target in sorted(chance.sample(range(1, steps - 5), KILLS)):
        begun = RunFolder(killed).exists
        work = (resume_attend, (killed,)) if begun else (run_attend, (settings, killed))
        process = context.Process(target=work[0], args=work[1], kwargs={"quiet": True, "save_every": 0})
        process.start()
        while process.is_alive() and steps_saved(killed) < target:
            time.sleep(0.003)
        time.sleep(chance.uniform(0, 0.01))  # in the middle of whatever it does
        process.kill()
        process.join()
        assert process.exitcode != 0, "it was not killed but came to its end"
        stops.add(steps_saved(killed))
    assert len(stops) > KILLS // 2
    assert max(stops) < steps
    resume_attend(killed, quiet=True)
    for name in FILES:
        assert (killed / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not list(killed.glob(".state-*"))
