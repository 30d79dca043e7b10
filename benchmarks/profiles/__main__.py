"""``python -m benchmarks.profiles``: write ``benchmarks/profiles.md``, four minutes on an idle machine."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import machine
from benchmarks.harness import number, table
from benchmarks.profiles import of_page
from benchmarks.start_up import command

HERE = Path(__file__).parent
SHOWN = 18
COMMANDS = {
    "make demo": ("demo", "--out", "{}/demo"),
    "compare --preset quick": (
        "compare", "--schemes", "rope,alibi", "--tasks", "copy", "--preset", "quick", "-o", "{}/run",
    ),
}  # fmt: skip
Stacks = list[tuple[tuple[str, ...], float]]


def profile(arguments: Sequence[str]) -> tuple[Stacks, float]:
    """Calls and processor seconds of a command and of all processes it starts, and its own seconds."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen"
        seen.mkdir()
        path = os.pathsep.join(filter(None, (str(HERE / "start"), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "CLOCKHANDS_PROFILE": str(seen)}
        begun = time.perf_counter()
        given = [part.format(folder) for part in arguments]
        subprocess.run([command(), *given], check=True, capture_output=True, env=environment)
        took = time.perf_counter() - begun
        stacks: Stacks = []
        for file in seen.glob("*.json"):
            stacks += [(tuple(calls), spent) for calls, spent in json.loads(file.read_text())]
    return stacks, took


def library(calls: Sequence[str]) -> str:
    """Whose code a stack is in: the innermost package that is not Python's own, or imports."""
    if any("importlib._bootstrap" in call for call in calls):
        return "imports"
    for call in calls:
        name = _place(call).split(".")[0]
        if "site-packages" in call or name == "clockhands":
            return name
    return "Python"


def _place(call: str) -> str:
    """``package.module:function`` of a file and a function."""
    file, _, function = call.rpartition(":")
    for root in ("site-packages/", "/src/", f"/python{machine.platform.python_version()[:4]}/"):
        if root in file:
            file = file.rsplit(root, 1)[1]
    return f"{file.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}:{function}"


def _shares(found: Counter[str], whole: float) -> Iterator[tuple[str, str, str]]:
    for name, spent in found.most_common(SHOWN):
        yield f"`{name}`", number(spent), f"{spent / whole:.1%}"


def section(title: str, arguments: Sequence[str]) -> str:
    """By whose code, by the function that runs, and by those of ours that it is called from."""
    stacks, took = profile(arguments)
    whole = sum(spent for _, spent in stacks)
    libraries, own, within = Counter[str](), Counter[str](), Counter[str]()
    for calls, spent in stacks:
        if not calls:
            continue
        libraries[library(calls)] += spent
        own[_place(calls[0])] += spent
        for call in {_place(call) for call in calls}:
            if call.startswith("clockhands."):
                within[call] += spent
    shown = " ".join(part.format("OUT") for part in arguments)
    parts = [
        f"## {title}",
        f"`clockhands {shown}`: {number(took)} s, and {number(whole)} s of processor time in all processes.",
    ]
    for head, found in (
        ("whose code runs", libraries), ("the function that runs", own), ("within our function", within),
    ):  # fmt: skip
        parts.append(table((head, "s", "share"), list(_shares(found, whole))))
    return "\n\n".join(parts)


def main() -> None:
    """Write all profiles, and what was changed because of them."""
    parts = [
        "# Where the time goes",
        f"Measured on {datetime.now(UTC):%Y-%m-%d} by `python -m benchmarks.profiles`: a thread in each "
        "process looks every five milliseconds where the program is, and shares out processor time. What was "
        "changed because of it is at the end.",
        *(section(title, arguments) for title, arguments in COMMANDS.items()),
        of_page.section(),
        (HERE / "changes.md").read_text(encoding="utf-8").strip(),
        table(("machine", ""), machine.described()),
    ]
    path = HERE.parent / "profiles.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
