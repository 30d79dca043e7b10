"""How long the command line takes to answer, from the shell's point of view."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Contender, Report, spread, table, take_turns

TURNS, REPEATS = 7, 3


def command() -> str:
    """The ``clockhands`` that belongs to this Python."""
    found = shutil.which("clockhands", path=str(Path(sys.executable).parent))
    if found is None:
        raise SystemExit("clockhands is not installed beside this Python: pip install -e .")
    return found


def run(*arguments: str) -> None:
    subprocess.run(arguments, check=True, capture_output=True)


def imports(name: str, *arguments: str) -> bool:
    """Does the command import a package?"""
    listing = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], check=True, capture_output=True, text=True
    ).stderr
    return any(line.rsplit("|", 1)[-1].strip().split(".")[0] == name for line in listing.splitlines())


def measure() -> Report:
    clockhands = command()
    with tempfile.TemporaryDirectory() as folder:
        picture = str(Path(folder) / "sinusoidal.png")
        show = ("show", "sinusoidal", "-o", picture)
        contenders = (
            Contender("`python -c pass`", lambda: run(sys.executable, "-c", "pass"), REPEATS),
            Contender(
                "`python -c 'import numpy'`", lambda: run(sys.executable, "-c", "import numpy"), REPEATS
            ),
            Contender("`clockhands --help`", lambda: run(clockhands, "--help"), REPEATS),
            Contender(
                "`clockhands show sinusoidal -o sinusoidal.png`", lambda: run(clockhands, *show), REPEATS
            ),
        )
        seconds = take_turns(contenders, TURNS)
        torch = {
            "--help": imports("torch", clockhands, "--help"),
            "show": imports("torch", clockhands, *show),
        }
    said = ", ".join(f"`{name}`: {'yes' if loaded else 'no'}" for name, loaded in torch.items())
    return Report(
        "Start-up of the command line",
        (
            f"A new process each time, files in the page cache. {TURNS} turns in alternation, each "
            f"the median of {REPEATS} runs; median and range.",
            table(("", "time"), [(name, spread(took, "s")) for name, took in seconds.items()]),
            f"Is torch imported? {said}.",
        ),
    )
