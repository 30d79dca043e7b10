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
PACKAGES = ("formulas", "catalogue", "core", "schemes", "analysis")
SIZE = 200
SEED = 0


def source_files() -> list[str]:
    """The files faults are put into: formulas, hooks, masks and error checks."""
    below = ROOT / "src" / "clockhands"
    files = [path for package in PACKAGES for path in sorted((below / package).rglob("*.py"))]
    return [path.relative_to(ROOT).as_posix() for path in (*files, below / "errors.py")]


def draw() -> list[Mutant]:
    """``SIZE`` mutants: at least one of each file that has any, the others from all alike."""
    chance = random.Random(SEED)
    first, others = [], []
    for file in source_files():
        mutants = [mutant for mutant, _ in mutants_of(ROOT, file)]
        chance.shuffle(mutants)
        first += mutants[:1]
        others += mutants[1:]
    chosen = first + chance.sample(others, min(len(others), SIZE - len(first)))
    return sorted(chosen, key=astuple)


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
