"""``python -m mutation [draw | PACKAGE…]``; see the package's docstring."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter

from mutation import run, sample
from mutation.mutants import Mutant
from mutation.tests import tests_for

LEAST_CAUGHT = 0.9
MOST_GONE = 0.1
"""Share of the sample that may have left the code before a new one must be drawn."""


def main(arguments: list[str]) -> int:
    if arguments == ["draw"]:
        mutants = sample.draw()
        sample.save(mutants)
        print(f"{len(mutants)} mutants drawn with seed {sample.SEED} into {sample.FILE.name}")
        return 0
    if not set(arguments) <= set(sample.PACKAGES):
        print(f"usage: python -m mutation [draw | {' | '.join(sample.PACKAGES)} …]", file=sys.stderr)
        return 2
    return _run(arguments)


def _run(packages: list[str]) -> int:
    mutants = [mutant for mutant in sample.load() if not packages or mutant.file.split("/")[2] in packages]
    jobs = {mutant: source for mutant, source in sample.with_sources(mutants) if source is not None}
    gone = len(mutants) - len(jobs)
    if gone > MOST_GONE * len(mutants):
        print(f"{gone} of {len(mutants)} mutants are no longer in the code: run python -m mutation draw")
        return 1
    run.preload()
    named = {part[0] for mutant in jobs for part in tests_for(mutant.file) if len(part) == 1}
    if not run.tests_pass(sorted(test for test in named if os.path.dirname(test) not in named)):
        print("the tests fail without any mutant: make them pass first")
        return 1
    survivors, counts = _count(jobs)
    return _report(survivors, counts, gone)


def _count(jobs: dict[Mutant, str]) -> tuple[list[Mutant], Counter[tuple[str, bool]]]:
    survivors: list[Mutant] = []
    counts: Counter[tuple[str, bool]] = Counter()
    start = time.monotonic()
    for number, (mutant, outcome, seconds) in enumerate(
        run.outcomes(iter(jobs.items()), os.cpu_count() or 1), 1
    ):
        counts[mutant.file.split("/")[2], outcome == "caught"] += 1
        if outcome == "survived":
            survivors.append(mutant)
        minutes = (time.monotonic() - start) / 60
        print(
            f"{number}/{len(jobs)} {minutes:.1f} min {outcome} in {seconds:.0f} s: {mutant.file}", flush=True
        )
    return survivors, counts


def _report(survivors: list[Mutant], counts: Counter[tuple[str, bool]], gone: int) -> int:
    for mutant in sorted(survivors, key=lambda mutant: (mutant.file, mutant.function)):
        print(f"\nsurvived: {mutant.file}, {mutant.function}\n- {mutant.before}\n+ {mutant.after}")
    print()
    for package in sorted({package for package, _ in counts}):
        caught, missed = counts[package, True], counts[package, False]
        print(f"{package}: {caught} of {caught + missed} caught")
    total = counts.total()
    share = 1 - len(survivors) / total
    print(
        f"all: {total - len(survivors)} of {total} caught, {share:.1%} (at least {LEAST_CAUGHT:.0%} wanted)"
    )
    if gone:
        print(f"{gone} mutants of the sample are no longer in the code")
    return 0 if share >= LEAST_CAUGHT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
