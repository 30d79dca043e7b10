"""Which tests are run against a mutant: those of its file first, then those of the schemes that it serves."""

from __future__ import annotations

import re
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
    "catalogue": ("schemes",),
    "core": ("models",),
    "analysis": ("claims",),
}


_BY_SCHEME = {
    "core": ("schemes", "conformance"),
    "catalogue": ("conformance", "views"),
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
    """Ids of schemes that a file of the catalogue or of the modules is part of; a few of many.

    Read off the texts: whatever is imported here could no longer be mutated in a forked process.
    """
    below = ROOT / "src" / "clockhands"
    catalogue = {path.stem: path.read_text("utf-8") for path in sorted((below / "catalogue").glob("*.py"))}
    modules = {path.stem: path.read_text("utf-8") for path in sorted((below / "schemes").glob("*.py"))}
    wanted = f"clockhands.{package}.{name}"
    if package == "catalogue":
        files = [stem for stem, text in catalogue.items() if stem == name or f"from {wanted} " in text]
    else:
        users = {name} | {stem for stem, text in modules.items() if f"from {wanted} " in text}
        files = [
            stem for stem, text in catalogue.items()
            if any(f'"clockhands.schemes.{user}:' in text for user in users)
        ]  # fmt: skip
    ids = [id for stem in files for id in re.findall(r'(?m)^        id="([\w-]+)"', catalogue[stem])]
    return ids[:_MOST_SCHEMES] or _GENERIC
