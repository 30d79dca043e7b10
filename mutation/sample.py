"""The committed sample: which mutants are run, drawn once with a fixed seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, astuple
from pathlib import Path

from mutation.mutants import Mutant, mutants_of

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_name("sample.jsonl")
PACKAGES = {"formulas": 45, "catalogue": 44, "core": 30, "schemes": 55, "analysis": 25}
"""Packages that faults are put into, and how many into each."""
SEED = 0


def draw() -> list[Mutant]:
    """Formulas, hooks, masks and error checks: from each package its number, files that differ first."""
    chance = random.Random(SEED)
    below = ROOT / "src" / "clockhands"
    files = {package: sorted((below / package).rglob("*.py")) for package in PACKAGES}
    chosen = _drawn([below / "errors.py"], 1, chance)
    for package, size in PACKAGES.items():
        chosen += _drawn(files[package], size, chance)
    return sorted(chosen, key=astuple)


def _drawn(files: list[Path], size: int, chance: random.Random) -> list[Mutant]:
    of_each = [
        [mutant for mutant, _ in mutants_of(ROOT, file.relative_to(ROOT).as_posix())] for file in files
    ]
    for mutants in of_each:
        chance.shuffle(mutants)
    first = [mutants[0] for mutants in of_each if mutants]
    others = [mutant for mutants in of_each for mutant in mutants[1:]]
    chance.shuffle(first)
    chance.shuffle(others)
    return [*first, *others][:size]


def save(mutants: list[Mutant]) -> None:
    lines = [json.dumps(asdict(mutant), ensure_ascii=False) for mutant in mutants]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def load() -> list[Mutant]:
    return [Mutant(**json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines()]


def with_sources(mutants: list[Mutant]) -> Iterator[tuple[Mutant, str | None]]:
    """Each mutant with its mutated source, ``None`` where the code has moved on and no longer has it."""
    for file in sorted({mutant.file for mutant in mutants}):
        sources = dict(mutants_of(ROOT, file)) if (ROOT / file).exists() else {}
        for mutant in mutants:
            if mutant.file == file:
                yield mutant, sources.get(mutant)
