"""Self-Extend reads a text longer than those in training: far positions are counted in groups.

To see: near the diagonal every distance has its own colour, and farther away there are blocks of equal ones;
on the right, the curve leaves the dashed line where the window ends and then rises in steps.

python gallery/distance_map.py [FOLDER] writes distance_map.png and distance_map.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "distance_map.png", "zh": "distance_map.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("self-extend", "distance-map", window=24, group_size=8, positions=128, lang=lang).save(
            folder / file
        )
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
