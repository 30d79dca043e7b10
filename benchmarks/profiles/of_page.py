"""Where the time of the page goes: its main thread in Chromium, by function, as sampled by V8."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import clockhands
from benchmarks.harness import number, table
from benchmarks.page import HOME, browse

ROOT = Path(__file__).parent.parent.parent
SHOWN = 14
WHEN = {"opening": "until it is ready and a second longer", "playing": "eight seconds of 512 hands"}


def named_page(folder: Path) -> Path:
    """The page, written by a copy of the package whose script keeps the names of its source."""
    copy = folder / "package" / "clockhands"
    shutil.copytree(Path(clockhands.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    built = copy / "web" / "built"
    subprocess.run(
        ["node", "build.mjs", "--named", str(built)], cwd=ROOT / "web", check=True, capture_output=True
    )
    path = folder / "page.html"
    command = [sys.executable, "-m", "clockhands", "page", "-o", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return path


def section() -> str:
    """A table for each of the two; what is missing, where something is."""
    missing = [folder for folder in (ROOT / "web", HOME) if not (folder / "node_modules").exists()]
    if missing:
        ask = " and ".join(f"`npm ci --prefix {folder.relative_to(ROOT)}`" for folder in missing)
        return f"## the page\n\nNot measured: it needs {ask}."
    with tempfile.TemporaryDirectory() as name:
        found = browse(what="profile", file=str(named_page(Path(name))), seconds=60)
    if why := found.get("failed"):
        return f"## the page\n\nNot measured: {why}."
    parts = [
        "## the page",
        f"Headless Chromium {found['browser']} without a graphics card; the script has the names of its "
        "source, and is the same otherwise. `(program)` is the browser's own work, drawing on canvases "
        "included.",
    ]
    for what, when in WHEN.items():
        spent = found[what]
        whole = sum(time for *_, time in spent)
        rows = [
            (f"`{name}`", number(time), f"{time / whole:.1%}") for name, _, time in spent[:SHOWN]
        ]  # fmt: skip
        parts += [f"{what.capitalize()}, {when}: {number(whole)} ms of the main thread.",
                  table(("the function that runs", "ms", "share"), rows)]  # fmt: skip
    return "\n\n".join(parts)
