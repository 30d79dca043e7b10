"""The sinusoidal table as a heat map: position to the right, dimension downwards.

To see: each pair of rows is one clock hand. The upper ones change at every step, the lower ones hardly move
in a hundred; red is positive, blue negative, white is zero.

python gallery/heat_map.py [FOLDER] writes heat_map.png and heat_map.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "heat_map.png", "zh": "heat_map.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("sinusoidal", "heatmap", dim=32, positions=100, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
