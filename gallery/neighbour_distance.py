"""The distance from each position to the next, for the sinusoid: a flat line.

To see: it is the same everywhere, 1.17162 at 32 dimensions. The axis starts at zero, so rounding noise of
10^-15 does not look like a pattern.

python gallery/neighbour_distance.py [FOLDER] writes neighbour_distance.png and neighbour_distance.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "neighbour_distance.png", "zh": "neighbour_distance.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("sinusoidal", "distance", dim=32, positions=100, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
