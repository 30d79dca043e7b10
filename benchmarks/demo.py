"""How long the whole gallery takes, from the command to the finished page, every import included."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from benchmarks.harness import Contender, Report, spread, table, take_turns
from benchmarks.start_up import command

LANGUAGES = {"en": "English", "zh": "Chinese"}
TURNS = 3
TARGET = 45.0


def make_gallery(lang: str) -> None:
    """``clockhands demo`` in a process of its own, into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "demo")
        subprocess.run([command(), "demo", "--out", out, "--lang", lang], check=True, capture_output=True)


def measure() -> Report:
    contenders = [Contender(name, lambda lang=lang: make_gallery(lang)) for lang, name in LANGUAGES.items()]
    seconds = take_turns(contenders, TURNS)
    rows = [(name, spread(each, "s")) for name, each in seconds.items()]
    return Report(
        "The whole gallery",
        (
            f"`clockhands demo`, imports included, {TURNS} turns after one that is not counted: "
            f"median (range). The target is {TARGET:.0f} s on two cores.",
            table(("language of the page", "wall clock"), rows),
        ),
    )
