"""Clock hands of your own: four speeds, one of them standing still.

To see: a hand of speed 0 never finishes a turn, whatever the context.

python gallery/own_frequencies.py [FOLDER] writes own_frequencies.png and own_frequencies.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "own_frequencies.png", "zh": "own_frequencies.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    speeds = [1.0, 0.3, 0.02, 0.0]
    return [
        ch.show(inv_freq=speeds, view="spectrum", positions=200, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
