"""``python -m docs.site [--pictures N] [--out FOLDER]``; see the package's docstring."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

from clockhands.catalogue import CATALOGUE
from clockhands.pages.pictures import MOST
from docs.site import building, drawing, staging

OUT = Path(__file__).parent.parent / "_build"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.site", description="Build the documentation.")
    many = f"at most so many on each page (usually {MOST})"
    parser.add_argument("--pictures", type=int, default=MOST, metavar="N", help=many)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER", help="usually docs/_build")
    given = parser.parse_args(arguments)
    started = time.monotonic()
    for old in ("sources", "html", "doctrees"):
        shutil.rmtree(given.out / old, ignore_errors=True)
    sources = staging.stage(given.out / "sources", CATALOGUE, most=max(given.pictures, 1))
    print(f"{len(sources.pages)} pages; drawing {len(sources.drawings)} pictures …", flush=True)
    drawing.draw_all(sources)
    print(f"drawn after {time.monotonic() - started:.0f} s; building the site …", flush=True)
    done = building.build(given.out / "sources", given.out / "html")
    if done:
        print(f"{given.out / 'html' / 'index.html'}: done after {time.monotonic() - started:.0f} s")
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
