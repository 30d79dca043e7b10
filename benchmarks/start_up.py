"""How long the command line takes to answer, from the shell's point of view."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.harness import LEAST, Contender, Report, ratios, spread, table, take_turns, verdict

TURNS, REPEATS, SECONDS, TARGET = 7, 3, 75.0, 0.3
HELP = "`clockhands --help`"
PEERS = ("rotary_embedding_torch", "x_transformers", "bertviz")
CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "rope_theta": 500000.0, "max_position_embeddings": 8192,
}  # fmt: skip


def command() -> str:
    """The ``clockhands`` that belongs to this Python."""
    found = shutil.which("clockhands", path=str(Path(sys.executable).parent))
    if found is None:
        raise SystemExit("clockhands is not installed beside this Python: pip install -e .")
    return found


def run(*arguments: str) -> None:
    subprocess.run(arguments, check=True, capture_output=True)


def imports(name: str, *arguments: str) -> bool:
    """Does the command, Python itself or a script of it, import a package?"""
    given = arguments[1:] if arguments[0] == sys.executable else arguments
    listing = subprocess.run(
        [sys.executable, "-X", "importtime", *given], check=True, capture_output=True, text=True
    ).stderr
    return any(line.rsplit("|", 1)[-1].strip().split(".")[0] == name for line in listing.splitlines())


def ways(folder: Path) -> dict[str, tuple[str, ...]]:
    """What is called, and how; our own ways first."""
    clockhands, python = command(), sys.executable
    config = folder / "config.json"
    config.write_text(json.dumps(CONFIG), encoding="utf-8")
    commands = {
        "`python -c 'import clockhands'`": (python, "-c", "import clockhands"),
        HELP: (clockhands, "--help"),
        "`clockhands list`": (clockhands, "list"),
        "`clockhands check config.json`": (clockhands, "check", str(config)),
        "`clockhands show sinusoidal -o sinusoidal.png`": (
            clockhands, "show", "sinusoidal", "-o", str(folder / "sinusoidal.png"),
        ),
        "`python -c pass`": (python, "-c", "pass"),
    }  # fmt: skip
    for package in ("numpy", "matplotlib.pyplot", "torch", "transformers", *PEERS):
        if find_spec(package.split(".")[0]) is not None:
            commands[f"`python -c 'import {package}'`"] = (python, "-c", f"import {package}")
    return commands


def measure() -> Report:
    with tempfile.TemporaryDirectory() as folder:
        named = ways(Path(folder))
        contenders = [Contender(name, partial(run, *arguments), REPEATS) for name, arguments in named.items()]
        seconds = take_turns(contenders, TURNS, SECONDS)
        torch = {name: imports("torch", *named[name]) for name in named if "clockhands" in name}
    said = ", ".join(f"{name}: {'yes' if loaded else 'no'}" for name, loaded in torch.items())
    return Report(
        "Start-up",
        (
            f"A new process each time, files in the page cache. {TURNS} turns in alternation ({LEAST} where "
            f"they last long), each the median of {REPEATS} runs; median and range.",
            table(
                ("", "time", f"times {HELP}"),
                [(name, spread(took, "s"), ratios(took, seconds[HELP])) for name, took in seconds.items()],
            ),
            verdict(HELP, statistics.median(seconds[HELP]), TARGET, most=True),
            f"Is torch imported? {said}.",
        ),
    )
