"""Begin all published experiments or go on with them, or with those named, and write what they found."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from clockhands.errors import ClockhandsError
from clockhands.experiments.recipes import carry_out
from clockhands.text import read_text
from clockhands.training.loop import Stopped
from recipes import READ_A_TEXT, RECIPES

TEXT = "CLOCKHANDS_TEXT"
HERE = Path(__file__).parent


def main() -> int:
    """What ``python -m recipes`` does; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m recipes", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(RECIPES)}; all if none is given"
    )
    parser.add_argument(
        "--text", metavar="FILE", type=Path, default=os.environ.get(TEXT),
        help=f"the text of language models ({TEXT} says it, too); without it {', '.join(READ_A_TEXT)} are "
        "left out",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, default=1, help="processes, one thread each (1)")
    parser.add_argument("--minutes", type=float, help="stop after so many; without it, when all is done")
    parser.add_argument("--folder", type=Path, default=HERE / "results", help="where results are kept")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(RECIPES))
    if unknown:
        parser.error(f"no recipe named {', '.join(unknown)}: choose from {', '.join(RECIPES)}")
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
    for name in given.names or RECIPES:
        if name in READ_A_TEXT and not text:
            if given.names:
                raise ClockhandsError(
                    f"{name} reads a text: give --text FILE, or set {TEXT}",
                    f"{name} 要读一个文本：请用 --text 给出文件，或设置 {TEXT}",
                )
            print(f"{name}: left out, since no text is given (--text FILE)", file=sys.stderr)
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        carry_out(
            RECIPES[name](text), given.folder / name, workers=given.workers, minutes=given.minutes,
            quiet=not sys.stderr.isatty(),
        )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
