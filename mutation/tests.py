"""Which tests are run against a mutant: those of its file first, then those of the schemes that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mutation.sample import ROOT

Part = tuple[str, ...]
"""Arguments of one run of pytest."""

_MOST_SCHEMES = 8
_CORE = "every_rung or nope- or rope-interleaved or rope-partial or alibi-symmetric or t5- or fox- or shaw-"
_GENERIC = ["rope-partial", "rope-interleaved", "own-table", "own-bias", "mrope-interleaved"]
"""What stands for all schemes where a file is part of each, or of those without a module."""

_ALSO_TESTED_BY = {
    "formulas": ("golden", "catalogue", "schemes"),
    "schemes": ("catalogue",),
    "core": ("models",),
    "analysis": ("claims",),
}


_BY_SCHEME = {
    "core": ("schemes", "conformance"),
    "catalogue": ("schemes", "conformance", "views"),
    "schemes": ("conformance",),
}


def tests_for(file: str) -> tuple[Part, ...]:
    """What is run against a mutant of ``file``, one after the other until something fails, nearest first."""
    return tuple(_existing(file))


def _existing(file: str) -> Iterator[Part]:
    package, name = Path(file).parts[2], Path(file).stem
    tests = ROOT / "tests"
    if package.endswith(".py"):
        parts = [(tests / f"test_{name}.py",), (tests / "catalogue",), (tests / "cli",)]
    else:
        near = sorted(tests.rglob(f"test_{name}.py"))
        also = [(tests / other,) for other in _ALSO_TESTED_BY.get(package, ())]
        parts = [*((path,) for path in near), (tests / package,), *also]
    yield from ((str(path),) for (path,) in parts if path.exists())
    if package in _BY_SCHEME:
        chosen = _CORE if package == "core" else " or ".join(_served(package, name))
        yield from ((str(tests / other), "-k", chosen) for other in _BY_SCHEME[package])


def _served(package: str, name: str) -> list[str]:
    """Ids of schemes that a file of the catalogue or of the modules is part of; a few of many."""
    from clockhands.catalogue import CATALOGUE

    wanted = f"clockhands.{package}.{name}"
    users = {
        path.stem
        for path in (ROOT / "src/clockhands/schemes").glob("*.py")
        if f"{wanted} " in path.read_text("utf-8")
    }
    found = []
    for kind in CATALOGUE:
        homes = {base.__module__ for base in kind.__mro__}
        module = (kind.module or "").partition(":")[0]
        if wanted in (*homes, module) or (package == "schemes" and module.rpartition(".")[2] in users):
            found.append(kind.card.id)
    return found[:_MOST_SCHEMES] or _GENERIC
