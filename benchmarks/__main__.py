"""Run all benchmarks, or those named, and write their results."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from pathlib import Path

import benchmarks

HELPERS = ("__main__", "harness", "machine")


def names() -> list[str]:
    modules = pkgutil.iter_modules(benchmarks.__path__)
    return [module.name for module in modules if not module.ispkg and module.name not in HELPERS]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(names())}; all if none is given"
    )
    chosen = parser.parse_args().names or names()
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}: choose from {', '.join(names())}")
    missed: list[str] = []
    for name in chosen:
        print(f"{name} ...", flush=True)
        try:
            path = importlib.import_module(f"benchmarks.{name}").measure().write(name)
        except SystemExit as error:  # what one lacks is no reason to leave the others out
            missed.append(f"{name}: {error}")
            continue
        print(path.read_text(encoding="utf-8"))
        print(f"written to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}\n")
    if missed:
        parser.exit(1, "".join(f"not measured, {each}\n" for each in missed))


if __name__ == "__main__":
    main()
