"""How long the whole gallery takes, from the command to the finished page, every import included."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.harness import Contender, Report, number, spread, table, take_turns
from benchmarks.start_up import command

LANGUAGES = {"en": "English", "zh": "Chinese"}
TURNS = 3
TARGET = 45.0


def make_gallery(lang: str, processor: list[float]) -> None:
    """``clockhands demo`` in a process of its own, into a folder that is thrown away.

    ``processor`` takes the processor time of the command and of the processes it starts, seconds.
    """
    before = _children()
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "demo")
        subprocess.run([command(), "demo", "--out", out, "--lang", lang], check=True, capture_output=True)
    processor.append(_children() - before)


def _children() -> float:
    """Processor time of all processes that were started and have ended, seconds."""
    times = os.times()
    return times.children_user + times.children_system


def measure() -> Report:
    processor: dict[str, list[float]] = {name: [] for name in LANGUAGES.values()}
    contenders = [
        Contender(name, partial(make_gallery, lang, processor[name])) for lang, name in LANGUAGES.items()
    ]
    wall = take_turns(contenders, TURNS)
    rows = [
        (name, spread(wall[name], "s"), f"{number(statistics.median(processor[name]))} s")
        for name in processor
    ]
    return Report(
        "The whole gallery",
        (
            f"`clockhands demo`, imports included, {TURNS} turns after one that is not counted: "
            f"median (range). The target is {TARGET:.0f} s on two cores that have nothing else to do.",
            table(("language of the page", "wall clock", "processor time, all processes"), rows),
        ),
    )
